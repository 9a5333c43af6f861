"""A transport that sends the head of an answer together with what follows it.

Uvicorn writes a head and a body one after the other, and uvloop sends each at once: two system calls and two packets
an answer, and a client that wakes for the first in vain. Here a head waits for the next write, or for the next round of
the event loop where there is none, as with a stream that has nothing to say yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

_HEAD = b"HTTP/1.1 "


class JoinedWrites(asyncio.Transport):
    """Everything but writes goes to ``transport`` as it is."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._head = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head + data)
        elif data[: len(_HEAD)] == _HEAD:
            self._head = bytes(data)
            self._loop.call_soon(self._send_head)
        else:
            self._transport.write(data)

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.write(b"".join(list_of_data))

    def _send_head(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size() + len(self._head)

    def write_eof(self) -> None:
        self._send_head()
        self._transport.write_eof()

    def close(self) -> None:
        self._send_head()
        self._transport.close()

    def abort(self) -> None:
        self._head = b""
        self._transport.abort()

    def can_write_eof(self) -> bool:
        return self._transport.can_write_eof()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def is_reading(self) -> bool:
        return self._transport.is_reading()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._transport.set_protocol(protocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._transport.get_protocol()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._transport.set_write_buffer_limits(high, low)

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._transport.get_write_buffer_limits()
