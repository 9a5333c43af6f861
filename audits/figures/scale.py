"""Axes: from values to places, and ticks at round values (1, 2 or 5 times a power of ten)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_FAR = 1e300
_MOST_TICKS = 12


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from ``low`` to ``high`` lie at ``start`` to ``end``; what is beyond lies at the nearer end."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def domain(values: Iterable[float], *, from_zero: bool = False) -> tuple[float, float]:
    """The range that an axis shows of finite values: never empty; of no values it is 0 to 1."""
    known = [min(max(value, -_FAR), _FAR) for value in values]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if from_zero and low > 0:
        low = 0.0
    if from_zero and 0.5 < high <= 1 and low == 0:
        high = 1.0
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        margin = 0.5 if low == 0 else abs(low) / 2
        low, high = low - margin, high + margin
    return low, high


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """About ``wanted`` round values from ``low`` to ``high``; ``low < high``, both finite."""
    step = _round_step((high - low) / wanted)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, min(last, first + _MOST_TICKS) + 1)]


def tick_labels(values: Sequence[float]) -> list[str]:
    """Each tick with as many decimals as tell it from its neighbours, and no more."""
    if len(values) < 2 or max(map(abs, values)) >= 1e7 or values[1] - values[0] < 1e-6:
        return [f"{value:.3g}" for value in values]
    decimals = max(0, math.ceil(-math.log10(values[1] - values[0]) - 1e-9))
    return [f"{value:,.{decimals}f}".replace("-0.0", "0.0") if value else "0" for value in values]


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    if not power:  # below the least power of ten that a double holds
        return step
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))
