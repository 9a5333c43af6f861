"""A circuit breaker: a server that is down is not asked again and again by everyone."""

from __future__ import annotations

import time
from collections.abc import Callable


class Breaker:
    """Opens after ``threshold`` failures in a row; after ``rest_s`` seconds one caller may try, then all or none.

    ``clock`` gives monotonic seconds.
    """

    def __init__(self, threshold: int = 5, rest_s: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._threshold = threshold
        self._rest_s = rest_s
        self._clock = clock
        self._failures = 0
        self._closed_until_s = 0.0

    def allows(self) -> bool:
        """Whether to ask now. Where it has rested, the first who asks is the one who tries."""
        if self._failures < self._threshold:
            return True
        if self._clock() < self._closed_until_s:
            return False
        self._closed_until_s = self._clock() + self._rest_s
        return True

    def succeeded(self) -> None:
        """The server has answered."""
        self._failures = 0

    def failed(self) -> None:
        """It has not, or only to say that it cannot."""
        self._failures += 1
        if self._failures >= self._threshold:
            self._closed_until_s = self._clock() + self._rest_s
