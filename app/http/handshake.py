"""TLS, agreed upon before a connection is one: counted and bounded like any other.

asyncio's own servers make a protocol known once the handshake is done, so that whoever begins one and says no more is
in no count, and has a minute. Here a client has ``read_s`` seconds for it, and a place among the connections from the
moment that it was accepted. Beyond the bound its handshake begins when others end, or never: the connection is closed
after ``held_s``, without words, for there is nothing yet to say them in.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from app.http.connection import Patience, ServerConnection


@dataclass(frozen=True, slots=True)
class Tls:
    """``under_way``: connections that have not agreed yet."""

    context: ssl.SSLContext
    patience: Patience
    under_way: set[Handshake] = field(default_factory=set)

    def wrap(self, following: Callable[[], asyncio.Protocol]) -> Handshake:
        """The protocol of a new connection, which goes on as ``following``."""
        return Handshake(self, following)

    def close(self) -> None:
        """Ends those under way."""
        for one in list(self.under_way):
            one.end()


class Handshake(asyncio.Protocol):
    """Takes the socket from the transport that accepted it, of which nothing was read, and begins anew with TLS."""

    def __init__(self, tls: Tls, following: Callable[[], asyncio.Protocol]) -> None:
        self._tls = tls
        self._following = following
        self._agreeing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        accepted = cast(asyncio.Transport, transport)
        try:
            self._socket = socket.socket(fileno=os.dup(accepted.get_extra_info("socket").fileno()))
        finally:  # also where no descriptor is left
            accepted.abort()
        self._socket.setblocking(False)
        self._tls.under_way.add(self)
        loop, patience = asyncio.get_running_loop(), self._tls.patience
        self._held = loop.call_later(patience.held_s, self.end)
        if not patience.pause_if_full(self, loop.time()):
            self.resume()

    def pause(self) -> None:
        """There is no place: nothing begins before there is."""

    def resume(self) -> None:
        """There is a place."""
        self._held.cancel()
        self._agreeing = asyncio.get_running_loop().create_task(self._agree(), name="TLS handshake")

    def end(self) -> None:
        """Closes the connection without a word."""
        if self._agreeing is None:
            self._held.cancel()
            self._socket.close()
            self._leave()
        else:
            self._agreeing.cancel()

    async def _agree(self) -> None:
        placed = False
        try:
            _, following = await asyncio.get_running_loop().connect_accepted_socket(
                self._begun, self._socket, ssl=self._tls.context, ssl_handshake_timeout=self._tls.patience.read_s
            )
            placed = isinstance(following, ServerConnection)
        except OSError:
            pass  # it spoke no TLS, stopped, or was too slow; its transport is closed
        finally:
            self._leave(placed=placed)

    def _begun(self) -> asyncio.Protocol:
        """What is told of the connection once the handshake is done."""
        following = self._following()
        if isinstance(following, ServerConnection):
            following.placed = True
        return following

    def _leave(self, *, placed: bool = False) -> None:
        """``placed``: a connection has taken the place over."""
        self._tls.under_way.discard(self)
        if not placed:
            self._tls.patience.release(self)
