"""Requests are begun a few at a time, so that the event loop looks at its connections in between.

Where thousands of requests arrive at once, to begin all of them takes a second, and whoever asks then whether the
process is alive would wait for as long. What a request does once it has begun is paced by :mod:`app.kit.pace`.
"""

from __future__ import annotations

import asyncio
from collections import deque

from app.admission.limits import BEGUN_AT_ONCE


class Beginnings:
    """What all connections of a server have in common. A round is a round of the event loop."""

    def __init__(self) -> None:
        self._begun = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def begins_now(self) -> bool:
        """Whether the caller begins in this round; it is counted if so."""
        if self._begun >= BEGUN_AT_ONCE or self._waiting:
            return False
        self._count()
        return True

    async def turn(self) -> None:
        """Returns in the round in which the caller may begin: first come, first served."""
        if self.begins_now():
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        await turn

    def _next_round(self) -> None:
        self._begun = 0
        while self._waiting and self._begun < BEGUN_AT_ONCE:
            following = self._waiting.popleft()
            if not following.done():
                self._count()
                following.set_result(None)

    def _count(self) -> None:
        if not self._begun:
            asyncio.get_running_loop().call_soon(self._next_round)
        self._begun += 1
