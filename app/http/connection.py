"""Connections with patience that ends: how long a client may take to say and to read something, and how many there are.

A connection without a request, a head that is not complete, a body or an answer that hardly moves: each has
``read_s`` seconds, by a look once a second, so that nothing is counted per request. A body, or an answer that its
client reads, has to move by ``LEAST_BYTES_S`` a second over that time; what the service itself holds back is not
counted against its client. Beyond ``most`` connections the next ones are accepted and not read until others end:
whoever connects waits, held or not, and is told 503 where that takes longer than ``held_s``. A peer that vanished is
found by TCP's own probes (:mod:`app.http.server`).

A client that goes away while it is being answered is told to :mod:`app.http.route`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import structlog

from app.admission.limits import LEAST_BYTES_S
from app.health import live
from app.http.beginnings import Beginnings
from app.http.joined_writes import JoinedWrites
from app.http.protocol import BoundedHttp
from app.http.route import mark_gone
from trueward.errors import AnsweredError, Overloaded, RequestRefused

HELD_S = 30.0
_SLOW = "the request took too long to arrive"
_FULL = "there are too many connections: send this again shortly"
log = structlog.get_logger(__name__)


class Guest(Protocol):
    """Whoever has a place among the connections, or waits for one."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...


@dataclass(eq=False, slots=True)
class Patience:
    """What all connections of a server have in common. ``draining``: each answer is the last of its connection."""

    read_s: float
    most: int
    held_s: float = HELD_S
    draining: bool = False
    open: int = 0
    held: dict[Guest, float] = field(default_factory=dict)

    def pause_if_full(self, guest: Guest, now: float) -> bool:
        """Whether there is no place for it yet: then it is paused until there is."""
        self.open += 1
        if self.open - len(self.held) <= self.most:
            return False
        self.held[guest] = now
        guest.pause()
        return True

    def release(self, guest: Guest) -> None:
        self.open -= 1
        self.held.pop(guest, None)
        self.let_in()

    def let_in(self) -> None:
        """As many of those that are held as there are places."""
        while self.held and self.open - len(self.held) < self.most:
            following = next(iter(self.held))
            del self.held[following]
            following.resume()

    def look(self, connections: Iterable[ServerConnection], now: float) -> None:
        """Ends what is too slow; once a second."""
        for connection in connections:
            since = self.held.get(connection)
            if since is None:
                connection.look(now, self.read_s)
            elif now - since > self.held_s:
                connection.end(Overloaded(_FULL, retry_after_s=1.0), 503)


class ServerConnection(BoundedHttp):
    """``patience`` and ``beginnings`` are the server's. A partial function makes it, for uvicorn gives the rest."""

    _reading = True
    """A request has been begun, or none yet, and its end is not here."""

    _head = True
    _turn = 0
    """Rises with each part of a request, so that a look knows whether it sees the same one again."""

    _arrived = 0
    _seen = (-1, 0.0, 0)
    """Of the last look but those at the same part: the part, when it was, bytes that had arrived by then."""

    _paused = False
    _early = b""
    """What was read before it was paused."""

    placed = False
    """It has its place from its handshake."""

    _stuck: tuple[float, int] | None = None
    """Since when an answer waits to be read, and how much of it did then."""

    def __init__(self, *, patience: Patience, beginnings: Beginnings, **given: Any) -> None:
        super().__init__(**given)
        self._patience = patience
        self._beginnings = beginnings
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(JoinedWrites(cast(asyncio.Transport, transport), self.loop))
        if not self.placed:
            self._patience.pause_if_full(self, self.loop.time())

    def pause(self) -> None:
        """Nothing of it is read, until there is a place."""
        self._paused = True
        self.flow.pause_reading()
        # uvloop begins to read after it has told of the connection, whatever was said to it until then
        self.loop.call_soon(self._stay_paused)

    def _stay_paused(self) -> None:
        if self._paused:
            self.transport.pause_reading()

    def resume(self) -> None:
        self._paused = False
        self.flow.resume_reading()
        if self._early:
            early, self._early = self._early, b""
            self.data_received(early)

    def connection_lost(self, exc: Exception | None) -> None:
        unanswered = self.cycle is not None and not self.cycle.response_complete
        super().connection_lost(exc)
        self._patience.release(self)
        if unanswered and self._answering is not None:
            mark_gone(self.cycle.scope["state"], self._answering)

    def data_received(self, data: bytes) -> None:
        if self._paused:
            self._early += data
            return
        self._arrived += len(data)
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._reading = self._head = True
        self._turn += 1
        super().on_message_begin()
        self.scope["state"]["arrived"] = self.loop.time()

    def on_headers_complete(self) -> None:
        self._head = False
        self._turn += 1
        super().on_headers_complete()
        if self._patience.draining:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._reading = False
        super().on_message_complete()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        """As there, in its turn, and remembers it. How the process is, and whether it is alive, is told at once."""
        if live.asks_for_it(cycle.scope):
            answering = cycle.run_asgi(live.answer)
        elif cycle.scope["path"] == "/metrics" or self._beginnings.begins_now():
            answering = cycle.run_asgi(app)
        else:
            answering = self._answer_in_turn(cycle, app)
        self._answering = task = self.loop.create_task(answering)
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    async def _answer_in_turn(self, cycle: Any, app: Any) -> None:
        await self._beginnings.turn()
        await cycle.run_asgi(app)

    def drain(self) -> None:
        """The answer that is on its way is the last one."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False

    def look(self, now: float, read_s: float) -> None:
        """Ends the connection where its client is too slow to say something, or to read it."""
        self._look_at_answer(now, read_s)
        if not self._reading or self.transport.is_closing():
            return
        turn, since, arrived = self._seen
        held_back = self.flow.read_paused and not self._head
        if turn != self._turn or held_back:
            self._seen = (self._turn, now, self._arrived)
        elif now - since >= read_s:
            if self._head or self._arrived - arrived < LEAST_BYTES_S * read_s:
                self.end(RequestRefused(_SLOW), 408)
            else:
                self._seen = (turn, now, self._arrived)

    def _look_at_answer(self, now: float, read_s: float) -> None:
        waiting = self.transport.get_write_buffer_size()
        if not waiting:
            self._stuck = None
        elif self._stuck is None:
            self._stuck = (now, waiting)
        elif now - self._stuck[0] >= read_s:
            if self._stuck[1] - waiting < LEAST_BYTES_S * read_s:
                log.info("a client does not read its answer", bytes=waiting)
                self.transport.abort()
            else:
                self._stuck = (now, waiting)

    def end(self, error: AnsweredError, status: int) -> None:
        """Says why and closes; a request that was never read cannot be answered otherwise."""
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            self.refuse(error, status)
        else:
            self.transport.close()
