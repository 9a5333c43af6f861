"""Room for so many questions at once, given to the flows in turn: a small request need not wait for a large one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

Waiting = deque[asyncio.Future[None]]


class FlowSlots:
    def __init__(self, places: int) -> None:
        self._free = self._places = places
        self._flows: dict[str, Waiting] = {}

    @property
    def waiting(self) -> int:
        return sum(map(len, self._flows.values()))

    def resize(self, places: int) -> None:
        """So many places from now on; who is above a lower number stays to the end."""
        self._free += places - self._places
        self._places = places
        while self._free > 0 and self._flows:
            self._free -= 1
            self._pass_on()

    @asynccontextmanager
    async def take(self, flow: str) -> AsyncIterator[None]:
        """A place, as soon as it is this flow's turn."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._wait(flow)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, flow: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._flows.setdefault(flow, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """The flow that is served goes to the end of the line."""
        while self._flows and self._free >= 0:
            flow, waiting = next(iter(self._flows.items()))
            del self._flows[flow]
            turn = waiting.popleft()
            if waiting:
                self._flows[flow] = waiting
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
