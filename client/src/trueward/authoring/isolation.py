"""A function's calls in a child process that can be killed: for checking code that may hang or crash.

The child is forked where the platform can, so that objects which cannot be pickled (a class inside a test)
go along; a call and its result are pickled. After a kill the next call starts a fresh child.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Self


@dataclass(frozen=True, slots=True)
class Hung:
    """The call took longer than its deadline; the child was killed."""

    deadline_s: float


@dataclass(frozen=True, slots=True)
class Died:
    """The child ended during the call, with this exit code (negative: a signal)."""

    exit_code: int | None


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised, or gave something that cannot be sent back."""

    error: str


class Isolated:
    """Calls ``function(*arguments)`` in a child process; use it as a context manager."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        can_fork = "fork" in multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context("fork" if can_fork else "spawn")
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._end()

    def call(self, *arguments: object, deadline_s: float) -> object | Hung | Died | Raised:
        """The function's result, or what became of the call. Arguments must be picklable."""
        pipe = self._pipe or self._start()
        try:
            pipe.send(arguments)
            if not pipe.poll(deadline_s):
                self._end()
                return Hung(deadline_s)
            answer: object = pipe.recv()
        except (EOFError, ConnectionError):
            return Died(self._end())
        return answer

    def _start(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(self._function, theirs, ours), daemon=True)  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            # forking a process with threads is deprecated since 3.12; the child is ours and is killed on time
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        return ours

    def _end(self) -> int | None:
        """Kills the child if there is one; its exit code, if it had ended by itself."""
        if self._process is None or self._pipe is None:
            return None
        self._pipe.close()
        self._process.join(0.2)
        self._process.kill()
        self._process.join()
        code = self._process.exitcode
        self._process.close()
        self._process = self._pipe = None
        return code


def _serve(function: Callable[..., object], pipe: Connection, parents: Connection) -> None:
    parents.close()
    while True:
        try:
            arguments = pipe.recv()
        except (EOFError, ConnectionError):
            return
        try:
            pipe.send(function(*arguments))
        except Exception as failure:  # noqa: BLE001 - whatever the function raises is the result of the call
            with suppress(ConnectionError):  # nobody waits any longer: the deadline ran out, and the kill is on its way
                pipe.send(Raised(f"{type(failure).__name__}: {str(failure)[:300]}"))
