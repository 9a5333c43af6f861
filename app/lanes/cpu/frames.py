"""What travels between the pool and a worker, over a stream socket.

To the worker: chunks, each a number and pickled items. Back: one verdict a frame as JSON (a worker that hostile
input may have corrupted should not be able to send more than data). An empty body says that memory ran out
under that item; chunk 0, which no chunk has, that the worker is ready.
"""

from __future__ import annotations

import pickle
import socket
import struct
from collections.abc import Iterator

from trueward.authoring.verifier import Task, report_crash
from trueward.wire.verdict import Verdict

MAX_VERDICT_BYTES = 4 * 1024**2
_CHUNK = struct.Struct("=Q")
_VERDICT = struct.Struct("=IQI")

READY = _VERDICT.pack(0, 0, 0)


class Garbled(Exception):
    """The stream from a worker is not of this protocol."""


def pack_item(name: str, params: str, task: Task) -> bytes:
    """One item: verifier name, its parameters as JSON, the task. Raises what pickling raises."""
    return pickle.dumps((name, params, task), pickle.HIGHEST_PROTOCOL)


def unpack_item(item: bytes) -> tuple[str, str, Task]:
    name, params, task = pickle.loads(item)  # noqa: S301 - the server wrote it
    return name, params, task


def pack_chunk(number: int, items: list[bytes]) -> bytes:
    body = pickle.dumps((number, items), pickle.HIGHEST_PROTOCOL)
    return _CHUNK.pack(len(body)) + body


def receive_chunk(stream: socket.socket) -> tuple[int, list[bytes]]:
    """Blocks for the next chunk; EOFError when the server is gone."""
    (length,) = _CHUNK.unpack(_receive(stream, _CHUNK.size))
    number, items = pickle.loads(_receive(stream, length))  # noqa: S301 - the server wrote it
    return number, items


def _receive(stream: socket.socket, length: int) -> bytearray:
    received = bytearray(length)
    view, have = memoryview(received), 0
    while have < length:
        count = stream.recv_into(view[have:])
        if not count:
            raise EOFError
        have += count
    return received


def pack_verdict(chunk: int, index: int, verdict: Verdict) -> bytes:
    """A verdict that cannot travel (lone surrogates, megabytes of evidence) becomes our error."""
    try:
        body = verdict.model_dump_json().encode()
        if len(body) > MAX_VERDICT_BYTES:
            raise ValueError(f"a verdict of {len(body)} bytes; {MAX_VERDICT_BYTES} can travel")
    except ValueError as failure:
        body = report_crash(failure).model_dump_json().encode()
    return _VERDICT.pack(len(body), chunk, index) + body


def pack_memory_exhausted(chunk: int, index: int) -> bytes:
    return _VERDICT.pack(0, chunk, index)


class VerdictStream:
    """Splits what arrives from a worker into (chunk, index, body)."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Yields each complete frame. Raises :class:`Garbled`."""
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= _VERDICT.size:
                length, chunk, index = _VERDICT.unpack_from(buffer, start)
                if length > MAX_VERDICT_BYTES:
                    raise Garbled(f"a frame of {length} bytes")
                end = start + _VERDICT.size + length
                if len(buffer) < end:
                    return
                yield chunk, index, bytes(buffer[start + _VERDICT.size : end])
                start = end
        finally:
            del buffer[:start]
