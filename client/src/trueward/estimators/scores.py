"""The scores of one group, some of them missing: their mean, spread and pass rate; and what maps a score to [0, 1]."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trueward.former_names import former_names

Scores = Sequence[float | None]


def drop_missing(values: Scores) -> list[float]:
    """The scores that are there."""
    return [value for value in values if value is not None]


def mean(values: Scores) -> float | None:
    """The mean of the scores that are there; None where there is none."""
    there = drop_missing(values)
    return math.fsum(there) / len(there) if there else None


def std(values: Scores, ddof: int = 1) -> float | None:
    """The standard deviation; None with ``ddof`` scores or fewer. Equal scores have exactly 0."""
    there = drop_missing(values)
    if len(there) <= ddof:
        return None
    if min(there) == max(there):
        return 0.0
    middle = math.fsum(there) / len(there)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in there) / (len(there) - ddof))


def success_rate(values: Scores, at_least: float = 1.0) -> float | None:
    """The share of the scores that reach ``at_least``; None where there is no score."""
    there = drop_missing(values)
    return sum(value >= at_least for value in there) / len(there) if there else None


def zero_variance(values: Scores) -> bool:
    """True where there are scores and they are all the same: such a group teaches nothing."""
    there = drop_missing(values)
    return bool(there) and min(there) == max(there)


def sigmoid(value: float) -> float:
    """``1 / (1 + e^-x)``, in [0, 1], without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    grown = math.exp(value)
    return grown / (1 + grown)


__getattr__ = former_names(__name__, {"scored": "drop_missing"})
