"""Turns of questions that a server failed at: first few at once, so that who is lost with another is not blamed."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from functools import partial

from judges.probing import MOST_TURNS, Turn

_GROWTH_S = 2.0


class Quarantine:
    """One turn at once after the server was lost, and twice as many each second that it was not, in the order in which
    they come. ``clock`` gives the loop's time."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lost_at = -math.inf
        self._line: list[Turn] = []
        self._inside: list[Turn] = []
        self._changed = asyncio.Event()

    def record_loss(self) -> None:
        self._lost_at = self._clock()

    async def enter(self, turn: Turn) -> None:
        """Returns when there is room for the turn, which then has its place to its end."""
        try:
            while turn not in self._inside:
                if turn not in self._line:
                    self._line.append(turn)
                if self._line[0] is turn and self._has_room(turn):
                    self._admit(turn)
                else:
                    await self._wait()
        finally:
            if turn in self._line:
                self._line.remove(turn)
                self._changed.set()

    def _has_room(self, turn: Turn) -> bool:
        seconds = (self._clock() - self._lost_at) / _GROWTH_S
        most: float = min(MOST_TURNS, 2.0 ** min(seconds, 10.0), *(one.most for one in (turn, *self._inside)))
        return len(self._inside) < most

    def _admit(self, turn: Turn) -> None:
        self._inside.append(turn)
        turn.at_end.append(partial(self._leave, turn))
        for one in self._inside:
            one.crowd = max(one.crowd, len(self._inside))

    def _leave(self, turn: Turn) -> None:
        self._inside.remove(turn)
        self._changed.set()

    async def _wait(self) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(_GROWTH_S / 4):
                await self._changed.wait()
        except TimeoutError:
            return
