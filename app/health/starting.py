"""Answers while the service starts: it is alive and not ready, and what may be sent again is to be sent again.

A trainer's call and what stands in for another server is kept instead, for their clients would not survive a refusal,
and goes on as a connection of the service when that is there (:meth:`Reception.open`), or is refused after ``HELD_S``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import cast

from app.health.live import LIVE
from app.kit.problems import MEDIA_TYPE
from trueward.errors import Unavailable

HELD_S = 50.0
"""Less than the shortest time that such a client waits."""

_MOST_BYTES = 2**16
_READ_S = 5.0
_MAY_SEND_AGAIN = re.compile(rb"(?!POST )|POST (?:/k/[^/ ]*)?/v1/")
_NOT_READY = b'{"ready":false,"checks":[{"name":"start","ok":false,"detail":"the service is starting"}]}'
_STARTING = Unavailable("the service is starting").problem().model_dump_json(exclude_none=True).encode()


class Reception:
    """Everybody who came before the service did."""

    def __init__(self) -> None:
        self.successor: Callable[[], asyncio.Protocol] | None = None
        self.kept: set[Starting] = set()

    def open(self, successor: Callable[[], asyncio.Protocol]) -> None:
        """The service is there: its connections are made by ``successor``."""
        self.successor = successor
        for connection in list(self.kept):
            connection.hand_over(successor())


class Starting(asyncio.Protocol):
    """One answer a connection, once the head of a request is there, and within seconds."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._said = b""
        self._end = asyncio.get_running_loop().call_later(_READ_S, transport.close)

    def data_received(self, data: bytes) -> None:
        self._said += data
        if b"\r\n\r\n" not in self._said and len(self._said) <= _MOST_BYTES:
            return
        if self._reception.successor is not None:
            self.hand_over(self._reception.successor())
        elif _MAY_SEND_AGAIN.match(self._said):
            self._answer()
        else:
            self._keep()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end.cancel()
        self._reception.kept.discard(self)

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """To a protocol that hears what was said so far as if it had been there."""
        self._end.cancel()
        self._reception.kept.discard(self)
        if self._transport.is_closing():
            return
        self._transport.set_protocol(protocol)
        if not self._transport.is_reading():
            self._transport.resume_reading()
        protocol.connection_made(self._transport)
        protocol.data_received(self._said)

    def _keep(self) -> None:
        self._transport.pause_reading()
        self._reception.kept.add(self)
        self._end.cancel()
        self._end = asyncio.get_running_loop().call_later(HELD_S, self._answer)

    def _answer(self) -> None:
        status, kind, body = b"503 Service Unavailable", MEDIA_TYPE.encode(), _STARTING
        if self._said.startswith(b"GET /health/live "):
            status, kind, body = b"200 OK", b"application/json", LIVE
        elif self._said.startswith(b"GET /health/ready "):
            kind, body = b"application/json", _NOT_READY
        if not self._transport.is_closing():
            head = b"content-type: %s\r\ncontent-length: %d\r\nretry-after: 1\r\nconnection: close\r\n\r\n"
            self._transport.write(b"HTTP/1.1 " + status + b"\r\n" + head % (kind, len(body)) + body)
            self._transport.close()
