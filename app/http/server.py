"""The HTTP server around the application: how it starts, and how it stops.

Starting, it listens at once and answers for itself (:mod:`app.health.starting`) until every part is ready. Told to stop
it is not ready from that moment on; after ``lame_duck_s`` it takes only what cannot be refused, finishes what it
took within ``drain_s``, and what remains then is answered ``error: shutdown``. Told a second time it ends at once.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import cast

import uvicorn

from app.health.starting import Reception, Starting
from app.http.connection import Patience, ServerConnection
from app.http.handshake import Tls
from app.state import AppState

_NOT_STARTED = 3
_LOOK_TICKS = 10
"""Uvicorn's ticks between two looks at the connections: a second."""

_WATCHED = 8
"""Times that the loop watches each listening socket. Of each it accepts one connection a round, so that many at once
would wait for the work of those before them; each more costs a connection some microseconds."""

_PROBES = ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 15), (socket.TCP_KEEPCNT, 4))
"""Each connection has these options from the socket that listens: to set them one by one is a fifth of accepting it."""

_WAIT_S = 0.05
_TELL_S = 5.0
"""Seconds that answers have to be recorded and sent once nothing more is judged."""

log = logging.getLogger("uvicorn.error")


class HttpServer(uvicorn.Server):
    """``patience`` is that of its connections; with ``tls`` they speak it."""

    def __init__(
        self, config: uvicorn.Config, patience: Patience, *, drain_s: float, lame_duck_s: float, tls: Tls | None = None
    ) -> None:
        super().__init__(config)
        self._tls = tls
        self._patience = patience
        self._drain_s = drain_s
        self._lame_duck_s = lame_duck_s

    @property
    def _parts(self) -> AppState:
        return cast(AppState, self.lifespan.state)

    @property
    def _connections(self) -> list[ServerConnection]:
        return cast(list[ServerConnection], list(self.server_state.connections))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        reception = Reception()
        try:
            waiting = await loop.create_server(
                self._secured(partial(Starting, reception)),
                host=self.config.host,
                port=self.config.port,
                backlog=self.config.backlog,
            )
        except OSError as refused:
            log.error(_not_listening(refused, self.config.host, self.config.port))
            sys.exit(_NOT_STARTED)
        for one in waiting.sockets:
            _probe(one)
        # the same listening sockets for both: who connects in between is answered by either
        listening = [one for one in waiting.sockets for _ in range(_WATCHED)]
        shared = [socket.socket(fileno=os.dup(one.fileno())) for one in listening]
        made = cast(Callable[..., asyncio.Protocol], self.config.http_protocol_class)
        # it is called, as a class would be
        self.config.http_protocol_class = lambda **given: self._secured(partial(made, **given))()  # type: ignore[assignment]
        await super().startup(shared)
        waiting.close()
        parts = {"server_state": self.server_state, "app_state": self.lifespan.state}
        reception.open(partial(made, config=self.config, **parts))
        log.info("listening on port %d", shared[0].getsockname()[1])

    def _secured(self, protocol: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        return protocol if self._tls is None else partial(self._tls.wrap, protocol)

    async def on_tick(self, counter: int) -> bool:
        if counter % _LOOK_TICKS == 0:
            self._patience.look(self._connections, asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            signal.signal(sig, signal.SIG_DFL)
            signal.raise_signal(sig)
        if self.started:
            self._parts["health"].stop()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        parts = self._parts
        await self._until(lambda: False, self._lame_duck_s)
        self._patience.draining = True
        for connection in self._connections:
            connection.drain()
        parts["path"].room.close()
        parts["assembly"].close()
        parts["standing"].close()
        parts["pulse"].close()
        # what they would be told at the end would be recorded as theirs; both begin again where they were
        await parts["jobs"].stop()
        await parts["audits"].stop()
        await self._until(self._idle, self._drain_s)
        parts["path"].shed()
        await self._until(self._idle, _TELL_S)
        for answering in list(self.server_state.tasks):
            answering.cancel()
        if self._tls is not None:
            self._tls.close()
        await super().shutdown(sockets)

    def _idle(self) -> bool:
        return not self.server_state.tasks

    async def _until(self, done: Callable[[], bool], seconds: float) -> None:
        """Returns when it is done, or after so many seconds; meanwhile connections are looked at."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        tick = 0
        while loop.time() < end and not done():
            await asyncio.sleep(_WAIT_S)
            tick += 1
            if tick * _WAIT_S % 1.0 < _WAIT_S:
                self._patience.look(self._connections, loop.time())


def run(
    config: uvicorn.Config, patience: Patience, *, drain_s: float, lame_duck_s: float, tls: ssl.SSLContext | None
) -> None:
    """Serves until it is told to stop; ends the process where it could not start."""
    _allow_descriptors()
    config.load_app()
    secured = None if tls is None else Tls(tls, patience)
    server = HttpServer(config, patience, drain_s=drain_s, lame_duck_s=lame_duck_s, tls=secured)
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(_NOT_STARTED)


def _probe(listening: socket.socket) -> None:
    """Has TCP find out which peers of the connections that it accepts have vanished."""
    # what asyncio gives is no socket that options can be set on for good: this one shares the descriptor of it
    with socket.socket(fileno=os.dup(listening.fileno())) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _PROBES:
            same.setsockopt(socket.IPPROTO_TCP, option, value)


def _not_listening(refused: OSError, host: str, port: int) -> str:
    if refused.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken by another program: choose another with --port or TRUEWARD_PORT"
    return f"cannot listen on port {port} of {host}: {refused}"


def _allow_descriptors() -> None:
    """As many as this process may have: each connection is one, and shells often allow a thousand."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # a system may refuse its own limit where that is "none"
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
