"""The interval of a mean whose items come in a few clusters: the answers to one prompt share their rewards.

The mean is a ratio of two totals over clusters, its variance that of the clusters' residuals (linearised, Cochran 1977,
section 6.3), and the quantile Student's with one degree of freedom less than there are clusters. It takes a handful of
operations, so a page can have one at every point; a rate that something depends on has the bootstrap of ``clusters``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import scipy

from audits.statistics.arrays import in_open_unit
from audits.statistics.proportion import LEVEL, Interval


def mean_interval(clusters: Sequence[tuple[float, int]], level: float = LEVEL) -> Interval | None:
    """From the sum and the number of items of each cluster. None for fewer than two clusters, or where they do not
    differ: nothing then says how far the mean may be off. Nor for numbers whose squares are none."""
    known = [(total, count) for total, count in clusters if count]
    if len(known) < 2:
        return None
    items = sum(count for _, count in known)
    mean = sum(total for total, _ in known) / items
    gaps = [total - mean * count for total, count in known]
    squares = sum(gap * gap for gap in gaps)
    size = len(known)
    # rounding leaves a trace of a difference where there is none
    if squares <= 1e-18 * max(mean * mean, 1e-300) * items * items or not math.isfinite(squares):
        return None
    half = _quantile(level, size - 1) * math.sqrt(size / (size - 1) * squares) / items
    return Interval(mean - half, mean + half)


@cache
def _quantile(level: float, freedom: int) -> float:
    return float(scipy.special.stdtrit(freedom, 0.5 + in_open_unit("level", level) / 2))
