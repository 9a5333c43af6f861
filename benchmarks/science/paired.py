"""Numbers of paired seeds: mean, spread and a t-interval of what the arms of one seed differ by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """``spread`` is the standard deviation over seeds (n - 1); ``low`` and ``high`` are the ends of Student's
    t-interval at 95%. All three are None for a single seed."""

    mean: float
    spread: float | None
    low: float | None
    high: float | None
    seeds: int

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.3f}"
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def interval(values: Sequence[float]) -> Interval:
    """Of one number a seed. Raises ValueError without any, and for one that is not finite."""
    if not values or not all(map(math.isfinite, values)):
        raise ValueError(f"an interval of {list(values)}")
    count, mean = len(values), math.fsum(values) / len(values)
    if count == 1:
        return Interval(mean, None, None, None, 1)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    half = float(stats.t.ppf(0.5 + LEVEL / 2, count - 1)) * spread / math.sqrt(count)
    return Interval(mean, spread, mean - half, mean + half, count)


def difference(one: Sequence[float], other: Sequence[float]) -> Interval:
    """Of ``one - other``, seed by seed."""
    return interval([a - b for a, b in zip(one, other, strict=True)])


def ratio(one: Sequence[float], other: Sequence[float]) -> Interval:
    """Of ``one / other``, seed by seed: the interval is of the ratios' mean. Raises ValueError for a division by 0."""
    if not all(other):
        raise ValueError("a ratio to 0")
    return interval([a / b for a, b in zip(one, other, strict=True)])
