"""The contract of a sandbox: a program and its limits in, what happened out.

What the program did (:class:`Status`) and what failed on our side (:class:`SandboxFailure`, raised) are
different types, so that an outage can never be read as a wrong answer.

A program is opened once (files laid out, compiled where its language compiles) and run as often as there are
inputs, each time as a fresh process in a fresh working directory. Two programs can be run as a *pair*, each in
a jail of its own, with the standard output of each feeding the standard input of the other: that is how tests
meet a candidate that must not see them, and how an interactor talks to an interactive program. Files of the
harness (``sandbox/harness``) lie read-only at ``/opt/trueward/<language>`` in every backend.

Not here: what an output means (``verifiers/code``).
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Protocol, runtime_checkable

from sandbox.limits import Limits

_ARGUMENT_BYTES = 2**17 - 1
"""The longest single argument that Linux takes."""
_NAME_BYTES, _PATH_NAMES = 255, 16
"""Likewise for a file's name; and folders deep enough for any program, whose path fits into Linux's 4,096 bytes."""


class Status(StrEnum):
    """How a program ended. Every one of these but ``stopped`` is the program's own doing."""

    FINISHED = "finished"
    COMPILE_ERROR = "compile_error"
    NONZERO_EXIT = "nonzero_exit"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    SIGNALLED = "signalled"
    FORBIDDEN = "forbidden"
    """Killed for a system call that no honest program makes (ptrace, mount, bpf, ...)."""
    STOPPED = "stopped"
    """The second of a pair, ended by us because the first had ended."""


@dataclass(frozen=True, slots=True)
class Program:
    """Source text in a named language, arguments, files beside it by relative path.

    ``fetch`` names files of the working directory to bring back from each run, whatever ended it; each may be as long
    as the output limit, or as ``fetch_bytes`` where that is more: so much room is added to memory and disk. With
    ``command`` that command line is run in place of the language's own; the source is then just one more file.
    ``harness`` says that it uses the harness's files: a backend that has none refuses it, rather than blame the
    program.

    Raises ValueError for what no system could lay out or start: a path that leaves the working directory or is
    none (``..``, ``/x``, ``a//b``, NUL, too long or deep), a file where another needs a folder, an argument
    with NUL, a text that is no Unicode.
    """

    language: str
    source: str
    arguments: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    fetch: tuple[str, ...] = ()
    fetch_bytes: int = 0
    command: tuple[str, ...] = ()
    harness: bool = False

    def __post_init__(self) -> None:
        self.source.encode()
        for path in (*self.files, *self.fetch):
            if not is_path_inside(path):
                raise ValueError(f"{path[:80]!r} is no path inside the working directory")
        for path in self.files:
            if any(str(folder) in self.files for folder in PurePosixPath(path).parents):
                raise ValueError(f"{path[:80]!r} lies in what is a file itself")
        for text in (*self.arguments, *self.command):
            if "\0" in text or len(text.encode()) > _ARGUMENT_BYTES:
                raise ValueError(f"{text[:80]!r} cannot be an argument")


def is_path_inside(path: str) -> bool:
    """Whether a path is relative, plain, and nameable on Linux."""
    names = path.split("/")
    plain = all(name not in ("", ".", "..") and len(name.encode()) <= _NAME_BYTES for name in names)
    return plain and "\0" not in path and len(names) <= _PATH_NAMES


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run used: CPU of all its processes, wall clock, the largest resident set.

    ``wall_s`` leaves out ``held_s``: the seconds, where the backend can tell, in which the program was ready and the
    host ran others, or stood still.
    """

    cpu_s: float
    wall_s: float
    peak_memory_bytes: int
    held_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Execution:
    """What one run did. Output beyond the limit is cut and flagged; ``files`` are those to fetch.

    A file to fetch that is missing, no regular file, or too large is left out.
    """

    status: Status
    usage: Usage
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    files: dict[str, bytes] = field(default_factory=dict)


class SandboxFailure(Exception):
    """The sandbox itself failed: nothing is known of the program, and no reward may come of it."""


class HostOutOfMemory(SandboxFailure):
    """The kernel ended a program that kept to its own limit, for the machine, or the service's group, had no memory."""


class Unsupported(Exception):
    """This backend cannot do that here, however often it is asked: a language or pairs are missing."""


@runtime_checkable
class Workspace(Protocol):
    """A program that is laid out and compiled, ready to run."""

    @property
    def compiled(self) -> Execution | None:
        """What the compiler did; None where the language has none. Its failure is ``compile_error``."""
        ...

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        """One run in a fresh process and a fresh copy of the files; the compiler's failure where it failed.

        ``limits`` defaults to those that the workspace was opened with.
        """
        ...


@runtime_checkable
class Sandbox(Protocol):
    """A backend. A failure of ours is :class:`SandboxFailure` and nothing else; it never becomes a status."""

    name: str

    def open(self, program: Program, limits: Limits) -> AbstractAsyncContextManager[Workspace]:
        """Lays the program out and compiles it; on leaving, everything of it is gone.

        Raises :class:`Unsupported` where the language is missing here.
        """
        ...

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        """Runs two programs against each other, each in a jail of its own, under the same limits.

        Standard output of each is standard input of the other (none of it is kept). When the first ends,
        the second gets a moment to end by itself and is then ``stopped``; when the second ends, the first
        reads the end of its input and goes on to its own end. What either writes to one that has ended is lost and
        is no error: its own end must not hang on which was faster. Raises :class:`Unsupported` where a backend
        cannot do it.
        """
        ...

    async def languages(self) -> dict[str, str]:
        """Every known language: empty where it can be used here, else why not."""
        ...

    async def close(self) -> None:
        """Ends every process, container, mount and file of this backend."""
        ...


async def run(sandbox: Sandbox, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
    """Opens a program, runs it once, and cleans up."""
    async with sandbox.open(program, limits) as workspace:
        return await workspace.run(stdin)


def spares(sandbox: Sandbox, seconds: float) -> bool:
    """Whether a program that has used up all the time of a test may have so many seconds more.

    A sandbox whose places others wait for has a method of this name, and says no; the rest of the program's tests then
    count as not reached.
    """
    asked = getattr(sandbox, "spares", None)
    return asked is None or bool(asked(seconds))
