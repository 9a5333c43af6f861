"""Back-pressure: how many samples may be on their way at once.

A caller whose client tries again is told so at once (:class:`~trueward.errors.Overloaded`); one whose
trainer would not survive a refusal is held until there is room or its deadline passes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trueward.errors import Overloaded

RETRY_AFTER_S = 1.0


class Room:
    """Room for ``capacity`` samples; a batch larger than that is let in alone. First come, first served."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.taken = 0
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def take(self, count: int, *, hold_until: float | None = None) -> AsyncIterator[None]:
        """Raises :class:`Overloaded` when there is no room (``hold_until``: loop time, for held callers)."""
        if self._queue or not self._fits(count):
            if hold_until is None:
                raise Overloaded(
                    f"{self.taken} samples are waiting, the limit is {self.capacity}: send this again shortly",
                    retry_after_s=RETRY_AFTER_S,
                )
            await self._wait(count, hold_until)
        else:
            self.taken += count
        try:
            yield
        finally:
            self.taken -= count
            self._admit_waiting()

    def _fits(self, count: int) -> bool:
        return self.taken == 0 or self.taken + count <= self.capacity

    async def _wait(self, count: int, hold_until: float) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (count, turn)
        self._queue.append(entry)
        try:
            async with asyncio.timeout_at(hold_until):
                await turn
        except (TimeoutError, asyncio.CancelledError) as stopped:
            if turn.done() and not turn.cancelled():
                self.taken -= count
            else:
                self._queue.remove(entry)
            self._admit_waiting()
            if isinstance(stopped, TimeoutError):
                raise Overloaded("no room before the deadline", retry_after_s=RETRY_AFTER_S) from None
            raise

    def _admit_waiting(self) -> None:
        while self._queue and self._fits(self._queue[0][0]):
            count, turn = self._queue.popleft()
            if not turn.done():
                self.taken += count
                turn.set_result(None)
