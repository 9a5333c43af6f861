"""A sandbox that isolates nothing: the conformance suite's example of a bad one, and the base of worse ones.

It does what a first attempt would do: a temporary folder, a process group, a time-out, an output cap. Run by root, its
programs run as ``nobody``, lest a mistake in a probe harms the machine.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sandbox.base import Execution, Program, SandboxFailure, Status, Unsupported, Usage
from sandbox.languages import Language, find_language, languages
from sandbox.limits import Limits

_NOBODY: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}


class PlainWorkspace:
    """Lays the files out anew for each run."""

    def __init__(self, program: Program, language: Language, limits: Limits) -> None:
        self._program, self._language, self._limits = program, language, limits
        self.compiled: Execution | None = None
        self._built: dict[str, bytes] = {}

    async def compile(self) -> None:
        if command := self._language.compile_command:
            limits = self._language.compiling(self._limits)
            with _folder() as folder:
                self._lay_out(folder)
                execution = await self.execute(folder, command, b"", limits)
                if execution.status is not Status.FINISHED:
                    execution = replace(execution, status=Status.COMPILE_ERROR)
                self.compiled = execution
                self._built = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        if self.compiled is not None and self.compiled.status is Status.COMPILE_ERROR:
            return self.compiled
        asked = limits or self._limits
        with _folder() as folder:
            self._lay_out(folder)
            command = (*self._language.run_command(asked), *self._program.arguments)
            execution = await self.execute(folder, command, stdin, self._language.running(asked))
            return replace(execution, files=self.fetch(folder, asked))

    def _lay_out(self, folder: Path) -> None:
        for name, data in {**self._program.files, **self._built}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o777)
            path.write_bytes(data)
            path.chmod(0o777)
        (folder / self._language.file).write_text(self._program.source)

    def fetch(self, folder: Path, limits: Limits) -> dict[str, bytes]:
        found = {}
        for name in self._program.fetch:
            path = folder / name
            inside = path.resolve() == path.absolute() and path.is_file()
            if inside and path.stat().st_size <= limits.output_bytes:
                found[name] = path.read_bytes()
        return found

    def environment(self) -> dict[str, str]:
        return {**os.environ, **self._language.variables}

    async def execute(self, folder: Path, command: tuple[str, ...], stdin: bytes, limits: Limits) -> Execution:
        start_s, status = time.monotonic(), None
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            for stream in (given, out, err):  # by name too, for whom the program runs as
                os.fchmod(stream.fileno(), 0o666)
            process = subprocess.Popen(  # noqa: ASYNC220 - nothing here waits for it
                command,
                cwd=folder,
                env=self.environment(),
                stdin=given,
                stdout=out,
                stderr=err,
                start_new_session=True,
                **_NOBODY,
            )
            try:
                while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):  # noqa: ASYNC222
                    await asyncio.sleep(0.005)
                    if time.monotonic() - start_s > limits.wall_s:
                        status = Status.TIME_LIMIT
                    if status or any(os.fstat(file.fileno()).st_size > limits.output_bytes for file in (out, err)):
                        _end(process.pid)
            finally:
                _end(process.pid)
                _, ended, used = os.wait4(process.pid, 0)  # noqa: ASYNC222 - it has been killed
                process.returncode = os.waitstatus_to_exitcode(ended)
            kept = [os.pread(file.fileno(), limits.output_bytes + 1, 0) for file in (out, err)]
        truncated = any(len(stream) > limits.output_bytes for stream in kept)
        usage = Usage(used.ru_utime + used.ru_stime, time.monotonic() - start_s, used.ru_maxrss * 1024)
        natural, code, number = _status(process.returncode)
        status = Status.OUTPUT_LIMIT if truncated else status or natural
        out_kept, err_kept = (stream[: limits.output_bytes] for stream in kept)
        return Execution(status, usage, code, number, out_kept, err_kept, truncated)


class PlainSandbox:
    """Programs run as whoever runs this, on the host. Pairs are missing."""

    name = "plain"
    workspace = PlainWorkspace

    def __init__(self) -> None:
        self._closed = False

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[PlainWorkspace]:
        if self._closed:
            raise SandboxFailure("it is closed")
        language = find_language(program.language)
        if language is None:
            raise Unsupported(f"there is no language {program.language}")
        workspace = self.workspace(program, language, limits)
        await workspace.compile()
        yield workspace

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        raise Unsupported("pairs are missing")

    async def languages(self) -> dict[str, str]:
        return {name: "" if _there(known) else "missing" for name, known in languages().items()}

    async def close(self) -> None:
        self._closed = True


def _there(language: Language) -> bool:
    return shutil.which(language.version[0], path=language.variables["PATH"]) is not None


def _end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _status(code: int) -> tuple[Status, int | None, int | None]:
    """Status, exit code and signal of a code as subprocess has it."""
    if code < 0:
        return Status.SIGNALLED, None, -code
    return (Status.NONZERO_EXIT if code else Status.FINISHED), code, None


class _folder:  # noqa: N801 - used like the function it stands for
    """A temporary folder as a Path."""

    def __enter__(self) -> Path:
        self._path = Path(tempfile.mkdtemp())
        self._path.chmod(0o777)
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._path, ignore_errors=True)
