"""Where a worker stands, told through shared memory: it can be read while the worker hangs, and after it died.

The other way round the pool revokes a chunk there: the worker begins no further item of it.

The worker writes a mark at each stage's start: chunk, item, stage, and both clocks. A version number that is
odd during a write guards against torn reads, also where the writer is stopped or killed in the middle.
"""

from __future__ import annotations

import mmap
import os
import socket
import struct
import time
from enum import IntEnum
from typing import NamedTuple

_VERSION = struct.Struct("=Q")
_BODY = struct.Struct("=QIIdd")
_REVOKED = struct.Struct("=Q")
_REVOKED_AT = _VERSION.size + _BODY.size
_SIZE = _REVOKED_AT + _REVOKED.size


class Stage(IntEnum):
    """``LOAD`` makes the verifier (ours), ``PREPARE`` reads the caller's reference, ``CHECK`` the response."""

    LOAD = 1
    PREPARE = 2
    CHECK = 3


class Mark(NamedTuple):
    """A stage's start: chunk number, the item's index in it, the worker's CPU clock, the monotonic clock (seconds)."""

    chunk: int
    item: int
    stage: Stage
    cpu_s: float
    wall_s: float


class Progress:
    """One worker's mark, written by the worker alone, and the chunk that was last revoked, written by the pool."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._version = 0

    @classmethod
    def send(cls, stream: socket.socket) -> Progress:
        """Fresh shared memory, the other half of which goes out on ``stream``."""
        descriptor = os.memfd_create("trueward-progress", os.MFD_CLOEXEC)
        try:
            os.ftruncate(descriptor, _SIZE)
            socket.send_fds(stream, [b"p"], [descriptor])
            return cls(descriptor)
        finally:
            os.close(descriptor)

    @classmethod
    def receive(cls, stream: socket.socket) -> Progress:
        """What :meth:`send` sent; blocks for it."""
        _, descriptors, _, _ = socket.recv_fds(stream, 1, 1)
        if not descriptors:
            raise EOFError
        try:
            return cls(descriptors[0])
        finally:
            os.close(descriptors[0])

    def write(self, chunk: int, index: int, stage: Stage) -> None:
        """Marks the start of a stage, with the clocks as they are now."""
        memory, version = self._memory, self._version
        _VERSION.pack_into(memory, 0, version + 1)
        _BODY.pack_into(memory, _VERSION.size, chunk, index, stage, time.process_time(), time.monotonic())
        _VERSION.pack_into(memory, 0, version + 2)
        self._version = version + 2

    def read(self) -> Mark | None:
        """The last mark; None before the first one and during a write."""
        before = _VERSION.unpack_from(self._memory, 0)[0]
        chunk, index, stage, cpu_s, wall_s = _BODY.unpack_from(self._memory, _VERSION.size)
        after = _VERSION.unpack_from(self._memory, 0)[0]
        if before == 0 or before % 2 or before != after:
            return None
        return Mark(chunk, index, Stage(stage), cpu_s, wall_s)

    def revoke(self, chunk: int) -> None:
        _REVOKED.pack_into(self._memory, _REVOKED_AT, chunk)

    def is_revoked(self, chunk: int) -> bool:
        return bool(_REVOKED.unpack_from(self._memory, _REVOKED_AT)[0] == chunk)

    def close(self) -> None:
        self._memory.close()
