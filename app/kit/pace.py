"""Turns at the event loop: what requests do there is done in pieces, and a round of the loop has one of them.

The loop hears of new requests, of answers and of clocks once a round. A round that ran a piece of each of two hundred
requests would last seconds, however short the pieces are. So whoever has something to do asks for a
:meth:`LoopPace.turn` before each part of it that may take a millisecond; what is asked for in a round that is used up
comes in later ones.

Who came first goes first: if all went on alike, all would be late where there is too much to do. But each second of
work puts a request back as if it had come :data:`BACK` seconds later, so that a single sample does not wait for
thousands that came before. Not covered: a part that itself takes long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextvars import ContextVar
from dataclasses import dataclass
from heapq import heappop, heappush
from time import perf_counter
from typing import TypeVar, cast

T = TypeVar("T")

PIECE_S = 0.004
"""Seconds of a round that may go to requests."""

BACK = 4.0


@dataclass(slots=True)
class _Standing:
    """The rank of a request and of all tasks begun for it: its arrival, put back by the work that was done for it."""

    rank: float


_AHEAD = _Standing(float("-inf"))
"""Of what many requests wait for; nothing puts it back."""

_standing: ContextVar[_Standing | None] = ContextVar("standing", default=None)


class LoopPace:
    """Hands out turns at one event loop."""

    def __init__(self, piece_s: float = PIECE_S) -> None:
        self._piece_s = piece_s
        self._until: float | None = None
        """When this round is used up; None where nobody has worked in it."""
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._came = 0
        self._holder: _Standing | None = None
        self._since = 0.0

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def turn(self, *, ahead: bool = False) -> None:
        """Returns at once where the caller has the turn and time left, or nobody else has, else when it is its turn."""
        now = perf_counter()
        standing = _AHEAD if ahead else _standing.get() or _of_this_request(now)
        if self._until is None:
            self._until = now + self._piece_s
            asyncio.get_running_loop().call_soon(self._round)
        elif now < self._until and (standing is self._holder or not self._waiting):
            if standing is self._holder:
                return
        else:
            waiter = asyncio.get_running_loop().create_future()
            self._came += 1
            heappush(self._waiting, (standing.rank, self._came, waiter))
            await waiter
            now = perf_counter()
            self._until = now + self._piece_s
        self._charge(now)
        self._holder, self._since = standing, now

    async def finish(self, work: Generator[None, None, T]) -> T:
        """Runs ``work`` to its end, a turn before each of its further steps, and returns its result."""
        while True:
            try:
                next(work)
            except StopIteration as end:
                return cast(T, end.value)
            await self.turn()

    def _charge(self, now: float) -> None:
        """Puts back whoever had the last turn, by what it did since."""
        if self._holder is not None:
            self._holder.rank += BACK * (now - self._since)
            self._holder = None

    def _round(self) -> None:
        """Begins a new round of the loop, and gives the next turn to the first that still waits."""
        self._charge(perf_counter())
        while self._waiting:
            _, _, waiter = heappop(self._waiting)
            if not waiter.done():
                waiter.set_result(None)
                asyncio.get_running_loop().call_soon(self._round)
                return
        self._until = None


def finish(work: Generator[None, None, T]) -> T:
    """Runs ``work`` to its end at once, and returns its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast(T, end.value)


def _of_this_request(now: float) -> _Standing:
    standing = _Standing(now)
    _standing.set(standing)
    return standing
