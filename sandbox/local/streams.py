"""The service's ends of a program's standard streams, on the event loop.

Nothing here waits for the end of a stream: once a slot has reported, all that a program wrote is in the pipe.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress

_CHUNK_BYTES = 2**16
_PIPE_BYTES = 2**20
"""Of a long input, and of each output: Node.js writes what a pipe takes, and loses the rest of it where a program then
ends by ``process.exit``. On a judge's machine an output is a file."""


READ, WRITE = 0o444, 0o222
"""Permissions of a program's end of a pipe."""


def open_to_program(pipe: int, permissions: int) -> None:
    """Lets the program open this pipe of its own by name again, as ``/dev/stdin``: it runs as another user.

    Nobody else can name it: a jail's /proc shows the descriptors of its own processes alone. One that only reads it
    may not write it, and the other way round; what two programs of a pair share is open to both of them both ways,
    where each could spoil nothing but what it reads or writes itself.
    """
    os.fchmod(pipe, permissions)


def _enlarge(pipe: int) -> None:
    with suppress(OSError):  # more than this user may have: the pipe keeps its size
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _Reader:
    """The service's end of a pipe that a program writes."""

    _ours: int
    _loop: asyncio.AbstractEventLoop

    def close(self) -> None:
        if self._ours >= 0:
            self._loop.remove_reader(self._ours)
            os.close(self._ours)
            self._ours = -1


class Capture(_Reader):
    """Reads an output up to ``limit`` bytes; beyond that it is thrown away and ``overflow`` called, once."""

    def __init__(self, limit: int, overflow: Callable[[], None]) -> None:
        self.theirs = -1
        self.truncated = False
        self.heard = 0.0
        self._ours, self.theirs = os.pipe2(os.O_CLOEXEC)
        open_to_program(self.theirs, WRITE)
        os.set_blocking(self._ours, False)
        _enlarge(self._ours)
        self._limit = limit
        self._overflow = overflow
        self._chunks: list[bytes] = []
        self._kept = 0
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._ours, self._read)

    def finish(self) -> bytes:
        """What was written, after the program has ended."""
        while self._ours >= 0 and self._read():
            pass
        self.close()
        return b"".join(self._chunks)

    def _read(self) -> bool:
        """Reads once; whether there may be more."""
        try:
            chunk = os.read(self._ours, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            self.close()
            return False
        self.heard = self._loop.time()
        room = self._limit - self._kept
        if room > 0:
            self._chunks.append(chunk[:room])
            self._kept += min(len(chunk), room)
        if len(chunk) > room and not self.truncated:
            self.truncated = True
            self._overflow()
        return True


class Drain(_Reader):
    """Keeps the reading end of a pipe open beside its reader, so that its writer never meets a broken one.

    Whether a writer is told of the reader's end would hang on which of the two was faster. Once begun, after the
    reader's end, what is written is thrown away.
    """

    def __init__(self, reading: int) -> None:
        self._ours = os.dup(reading)
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        os.set_blocking(self._ours, False)  # of the pipe's end itself, which nobody else reads any more
        self._loop.add_reader(self._ours, self._read)

    def _read(self) -> None:
        with suppress(BlockingIOError):
            if not os.read(self._ours, _CHUNK_BYTES):
                self.close()


class Feed:
    """Writes an input, as fast as the program reads it."""

    def __init__(self, data: bytes) -> None:
        self.theirs, self._ours = os.pipe2(os.O_CLOEXEC)
        open_to_program(self.theirs, READ)
        os.set_blocking(self._ours, False)
        self._data = memoryview(data)
        self._loop = asyncio.get_running_loop()
        if len(data) > _CHUNK_BYTES:
            _enlarge(self._ours)
        self._write()
        if self._ours >= 0:
            self._loop.add_writer(self._ours, self._write)

    def close(self) -> None:
        if self._ours >= 0:
            self._loop.remove_writer(self._ours)
            os.close(self._ours)
            self._ours = -1

    def _write(self) -> None:
        try:
            while self._data:
                self._data = self._data[os.write(self._ours, self._data) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            pass  # the program reads no more
        self.close()
