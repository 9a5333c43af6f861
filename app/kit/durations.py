"""A histogram of seconds for what one event loop measures: two additions and a bisection for each."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

BOUNDS_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class Durations:
    """``sum_s`` and ``count`` are of all that was added; not for several threads."""

    __slots__ = ("_counts", "sum_s")

    def __init__(self) -> None:
        self.sum_s = 0.0
        self._counts = [0] * (len(BOUNDS_S) + 1)

    @property
    def count(self) -> int:
        return sum(self._counts)

    @property
    def mean_s(self) -> float:
        """0 where nothing was added."""
        return self.sum_s / max(1, self.count)

    def add(self, seconds: float) -> None:
        """Less than nothing, which a clock that was set back would give, counts as nothing."""
        seconds = max(0.0, seconds)
        self.sum_s += seconds
        self._counts[bisect_left(BOUNDS_S, seconds)] += 1

    def buckets(self) -> list[tuple[str, float]]:
        """Upper bound as Prometheus writes it, and how many were no longer than that; ``+Inf`` last."""
        bounds = [*map(str, BOUNDS_S), "+Inf"]
        return [(bound, float(count)) for bound, count in zip(bounds, accumulate(self._counts), strict=True)]
