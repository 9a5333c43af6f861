"""Intervals of a rate from counts: ``errors`` of ``trials`` independent items.

Wilson (1927) is the default: close to its level on average, below it for rare errors (0.921 for a rate of 0.01 in 100
items at level 0.95). Clopper and Pearson (1934) is never below its level: use it for gates. Items of one prompt are
not independent: see ``clusters``. Counts may be fractions, as weighted and planned ones are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import scipy

from audits.statistics.arrays import in_open_unit

LEVEL = 0.95


class Interval(NamedTuple):
    """A confidence interval, ``low <= high``."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


EVERYTHING = Interval(0.0, 1.0)
"""What is known of a rate without a single item."""


def quantile(level: float) -> float:
    """The two-sided quantile of the normal distribution: 1.959964 for 0.95."""
    return float(scipy.special.ndtri(0.5 + in_open_unit("level", level) / 2))


def wilson(errors: float, trials: float, level: float = LEVEL) -> Interval:
    """The score interval; [0, 1] without items."""
    _check(errors, trials)
    z = quantile(level)
    if trials == 0:
        return EVERYTHING
    rate, spread = errors / trials, z * z / trials
    centre = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / trials + spread / (4 * trials)) / (1 + spread)
    # the ends are exact where every item, or none, is an error: rounding must not move them
    return Interval(
        0.0 if errors == 0 else max(centre - half, 0.0), 1.0 if errors == trials else min(centre + half, 1.0)
    )


def clopper_pearson(errors: float, trials: float, level: float = LEVEL) -> Interval:
    """The exact interval, from quantiles of the beta distribution; [0, 1] without items."""
    _check(errors, trials)
    tail = (1 - in_open_unit("level", level)) / 2
    low = 0.0 if errors == 0 else float(scipy.special.betaincinv(errors, trials - errors + 1, tail))
    high = 1.0 if errors == trials else float(scipy.special.betaincinv(errors + 1, trials - errors, 1 - tail))
    return Interval(low, high)


class Proportion(NamedTuple):
    """A rate with what it was counted from; ``rate`` is None without items."""

    errors: int
    trials: int
    rate: float | None
    wilson: Interval
    clopper_pearson: Interval


def proportion(errors: int, trials: int, level: float = LEVEL) -> Proportion:
    """A rate with both intervals."""
    rate = errors / trials if trials else None
    return Proportion(errors, trials, rate, wilson(errors, trials, level), clopper_pearson(errors, trials, level))


def difference(first: tuple[float, float], second: tuple[float, float], level: float = LEVEL) -> Interval:
    """``rate(first) - rate(second)`` of two independent samples, each (errors, trials): Newcombe (1998), method 10.

    [-1, 1] where one of them has no items.
    """
    if first[1] == 0 or second[1] == 0:
        return Interval(-1.0, 1.0)
    one, other = first[0] / first[1], second[0] / second[1]
    ours, theirs = wilson(*first, level), wilson(*second, level)
    return Interval(
        one - other - math.hypot(one - ours.low, theirs.high - other),
        one - other + math.hypot(ours.high - one, other - theirs.low),
    )


def _check(errors: float, trials: float) -> None:
    if not (math.isfinite(trials) and 0 <= errors <= trials):
        raise ValueError(f"needs 0 <= errors <= trials, both finite, got {errors:g} of {trials:g}")
