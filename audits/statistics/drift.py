"""How far a distribution has moved from a base: the population stability index.

By custom below 0.1 is stable, above 0.25 a shift. Where nothing moved, PSI times ``1 / (1/n + 1/m)`` follows a
chi-squared law with bins - 1 degrees of freedom (Yurdakul 2018): ``psi_limit`` is its quantile, which small windows
need, since they exceed 0.1 by chance alone.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, in_open_unit, numbers

HALF_AN_ITEM = 0.5


def psi(base: ArrayLike, now: ArrayLike) -> float:
    """``sum (q - p) ln(q / p)`` of the shares p, q of K counts each; half an item is added to every count.

    Raises ValueError where one of them counts nothing.
    """
    p, q = (_shares(name, counts) for name, counts in (("base", base), ("now", now)))
    if len(p) != len(q):
        raise ValueError(f"base has {len(p)} bins, now has {len(q)}")
    return float(np.sum((q - p) * np.log(q / p)))


def psi_limit(base_items: int, items: int, bins: int, false_alarms: float = 0.01) -> float:
    """What PSI exceeds with probability ``false_alarms`` though nothing moved."""
    if min(base_items, items) < 1 or bins < 2:
        raise ValueError("needs items on both sides and at least two bins")
    return float(scipy.special.chdtri(bins - 1, in_open_unit("false_alarms", false_alarms))) * (
        1 / base_items + 1 / items
    )


def score_psi(base: ArrayLike, now: ArrayLike, bins: int = 10) -> float:
    """PSI of N and M scores or lengths over bins that hold equal parts of the base; equal values share a bin."""
    before, after = numbers("base", base), numbers("now", now)
    if not len(before) or not len(after):
        raise ValueError("no scores: both sides need some")
    if bins < 2:
        raise ValueError(f"bins must be at least 2, got {bins}")
    edges = np.unique(np.quantile(before, np.linspace(0, 1, bins + 1)[1:-1], method="inverted_cdf"))
    size = 2 * len(edges) + 1
    # an edge that many values share is a bin of its own, so that a constant base is not half of its neighbour
    places = [
        np.searchsorted(edges, values, "left") + np.searchsorted(edges, values, "right") for values in (before, after)
    ]
    one, other = (np.bincount(place, minlength=size) for place in places)
    filled = (one + other) > 0
    return psi(one[filled], other[filled])


def _shares(name: str, counts: ArrayLike) -> Floats:
    array = numbers(name, counts)
    if not len(array) or array.min() < 0 or array.sum() == 0:
        raise ValueError(f"{name} must be counts of at least 0, and count something")
    smoothed: Floats = (array + HALF_AN_ITEM) / (array.sum() + HALF_AN_ITEM * len(array))
    return smoothed
