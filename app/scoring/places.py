"""Places for so many at once; who finds them taken is let in by turns (:mod:`app.scoring.turns`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.scoring.demand import demanded
from app.scoring.room import Weights, equal
from app.scoring.turns import Turns


class Places:
    """``running``: places taken; ``turns``: who waits for one."""

    def __init__(self, size: int, weights: Weights = equal) -> None:
        self.size = size
        self.running = 0
        self.turns: Turns[asyncio.Future[None]] = Turns(weights)

    @asynccontextmanager
    async def take(self, seconds: float) -> AsyncIterator[None]:
        """For whoever the present request is of; it is thought to need the place for so many seconds."""
        if self.running < self.size:
            self.running += 1
        else:
            await self._wait(seconds)
        try:
            yield
        finally:
            self._leave()

    async def _wait(self, seconds: float) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        demand = demanded()
        self.turns.append(turn, demand.project, demand.flow, seconds)
        try:
            await turn
        except asyncio.CancelledError:
            self.turns.discard(turn)
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        """The place goes to whose turn it is."""
        while (turn := self.turns.pop()) is not None:
            if not turn.done():
                turn.set_result(None)
                return
        self.running -= 1
