"""Equal work under way is done once, for everybody who waits for it, and is given up with the last of them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(slots=True)
class _Flight(Generic[V]):
    task: asyncio.Task[V]
    waiting: int = 0


class Flights(Generic[K, V]):
    def __init__(self) -> None:
        self._flights: dict[K, _Flight[V]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._flights

    async def join(self, key: K) -> V:
        """Waits for the work that is under way, and returns its result."""
        return await self._wait(key, self._flights[key])

    async def start(self, key: K, work: Coroutine[Any, Any, V]) -> V:
        """Begins work that is not under way, and waits for it."""
        flight = self._flights[key] = _Flight(asyncio.ensure_future(work))
        flight.task.add_done_callback(lambda done: self._forget(key, flight))
        return await self._wait(key, flight)

    async def _wait(self, key: K, flight: _Flight[V]) -> V:
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._forget(key, flight)
                flight.task.cancel()

    def _forget(self, key: K, flight: _Flight[V]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
