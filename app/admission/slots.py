"""Slots for so many at once; who finds them taken is let in by turns (:mod:`app.admission.fair_queue`).

Who has had a turn already and needs a longer one waits ``behind`` all that have not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.admission.demand import NONE, Demand
from app.admission.fair_queue import FairQueue
from app.admission.room import Weights, weigh_equally


class Slots:
    """``running``: places taken; ``turns`` and ``behind``: who waits for one."""

    def __init__(self, size: int, weights: Weights = weigh_equally) -> None:
        self.size = size
        self.running = 0
        self.turns: FairQueue[asyncio.Future[None]] = FairQueue(weights)
        self.behind: FairQueue[asyncio.Future[None]] = FairQueue(weights)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self.turns) + len(self.behind)

    @property
    def backlog_s(self) -> float:
        """Seconds until all that waits now has begun, if nothing else comes."""
        return (self.turns.seconds + self.behind.seconds) / self.size

    @asynccontextmanager
    async def take(self, seconds: float, demand: Demand = NONE, *, behind: bool = False) -> AsyncIterator[None]:
        """For a request that demands that; it is thought to need the place for so many seconds."""
        if self.running < self.size:
            self.running += 1
        else:
            await self._wait(self.behind if behind else self.turns, seconds, demand)
        try:
            yield
        finally:
            self._leave()

    async def _wait(self, turns: FairQueue[asyncio.Future[None]], seconds: float, demand: Demand) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turns.append(turn, demand.project, demand.flow, seconds)
        try:
            await turn
        except asyncio.CancelledError:
            turns.discard(turn)
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        """Passes the place on to the next in turn."""
        while (turn := self.turns.pop() or self.behind.pop()) is not None:
            if not turn.done():
                turn.set_result(None)
                return
        self.running -= 1
