"""A circuit breaker: a server that is down is left alone but for a trickle, and let be asked more and more again.

What counts is evidence of death: no connection, or answers that say that the server failed, several in a row. That
somebody left, or that his time was over, says nothing of the server.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

THRESHOLD = 5
_FIRST_ROOM = 2
_FULL_ROOM = 64
_GROWTH_S = 0.5


class Breaker:
    """Open after ``threshold`` failures in a row. Then one request may be sent every ``rest_s`` seconds, or every tenth
    of the time that the server has been down, up to ``longest_rest_s``: recovery is noticed at most so much later.

    The first answer closes it. Then there is room for a few requests at once, which doubles every half second and grows
    by one with each answer. ``clock`` gives monotonic seconds. Whoever sends calls ``sent``, and then one of
    ``answered``, ``failed`` and ``left``.
    """

    def __init__(
        self,
        threshold: int = THRESHOLD,
        rest_s: float = 1.0,
        longest_rest_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._rest_s = rest_s
        self._longest_rest_s = longest_rest_s
        self._clock = clock
        self._failures = 0
        self._in_flight = 0
        self._down_since = math.inf
        self._next_trial = 0.0
        self._room = math.inf
        self._grown_at = 0.0

    @property
    def open(self) -> bool:
        return self._failures >= self._threshold

    @property
    def down_s(self) -> float:
        """Seconds since the first failure of the present row; 0 where the last request was answered."""
        return max(0.0, self._clock() - self._down_since)

    def wait_s(self) -> float:
        """Seconds until the next request may be sent, 0 for now. Sooner where an answer comes."""
        if self.open:
            return max(0.0, self._next_trial - self._clock())
        self._grow()
        return 0.0 if self._in_flight < self._room else max(0.0, self._grown_at + _GROWTH_S - self._clock())

    def record_sent(self) -> None:
        self._in_flight += 1
        if self.open:
            self._rest()

    def record_answer(self) -> None:
        """The server lives, whatever it said."""
        self._in_flight -= 1
        if self.open:
            self._room, self._grown_at = float(_FIRST_ROOM), self._clock()
        elif self._room < _FULL_ROOM:
            self._room += 1
        self._failures, self._down_since = 0, math.inf

    def record_failure(self) -> None:
        """There was no answer, or only one that says that the server failed."""
        self._in_flight -= 1
        self._failures += 1
        self._down_since = min(self._down_since, self._clock())
        if self.open:
            self._rest()

    def record_abandoned(self) -> None:
        """Nobody waits for the answer any more: nothing is known."""
        self._in_flight -= 1

    def _rest(self) -> None:
        rest_s = min(self._longest_rest_s, max(self._rest_s, self.down_s / 10))
        self._next_trial = self._clock() + rest_s

    def _grow(self) -> None:
        """Doubles the room for each half second that has passed."""
        if self._room == math.inf:
            return
        steps = int((self._clock() - self._grown_at) / _GROWTH_S)
        self._room *= 2.0 ** min(steps, 10)
        self._grown_at += steps * _GROWTH_S
        if self._room >= _FULL_ROOM:
            self._room = math.inf
