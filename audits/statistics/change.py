"""How much oftener the new version of a verifier accepts the same items than the old one, with an interval.

The pairs are not independent where items come in clusters, so the interval is the cluster bootstrap's. With too few
clusters it is that of Bonett and Price (2012), "Adjusted Wald confidence interval for a difference of binomial
proportions based on paired data", for as many items as there are clusters of equal size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from audits.statistics.arrays import Floats, Groups
from audits.statistics.clusters import bootstrap_intervals, cluster_totals, too_few
from audits.statistics.proportion import LEVEL, Interval, quantile

EVERYTHING = Interval(-1.0, 1.0)


class RateChange(NamedTuple):
    """Rate after minus rate before; None without items. ``note`` says what to hold against the interval."""

    value: float | None
    interval: Interval
    note: str


def compare_pairs(gained: float, lost: float, items: float, level: float = LEVEL) -> Interval:
    """Of ``items`` independent pairs, of which ``gained`` and ``lost`` changed sides; [-1, 1] without items.

    Counts may be fractions.
    """
    if not 0 <= gained + lost <= items:
        raise ValueError(f"needs 0 <= gained + lost <= items, got {gained:g} + {lost:g} of {items:g}")
    if items == 0:
        return EVERYTHING
    up, down = (gained + 1) / (items + 2), (lost + 1) / (items + 2)
    middle = up - down
    half = quantile(level) * math.sqrt(max(up + down - middle**2, 0.0) / (items + 2))
    return Interval(max(middle - half, -1.0), min(middle + half, 1.0))


def change(before: Floats, after: Floats, groups: Groups, *, level: float = LEVEL, seed: int = 0) -> RateChange:
    """N verdicts (1 or 0) then and now, and the cluster that each is in."""
    columns = np.stack([after > before, after < before, np.ones_like(before)], axis=1).astype(np.float64)
    rows = cluster_totals(columns, groups)
    rows = rows[rows[:, 2] > 0]
    if not len(rows):
        return RateChange(None, EVERYTHING, "nothing has a verdict both times")
    gained, lost, items = (float(total) for total in rows.sum(axis=0))
    value = (gained - lost) / items
    changed = rows[:, 0] + rows[:, 1]
    few = too_few(rows[:, 2], changed > 0, changed < rows[:, 2])
    if few is None:
        found = bootstrap_intervals(rows, {"change": _mean}, level=level, seed=seed)["change"]
        if found is not None:
            return RateChange(value, found, f"cluster bootstrap, {len(rows)} groups")
    worth = items**2 / float(np.sum(rows[:, 2] ** 2)) / items
    return RateChange(value, compare_pairs(gained * worth, lost * worth, items * worth, level), few or "")


def _mean(totals: Floats) -> Floats:
    means: Floats = (totals[:, 0] - totals[:, 1]) / totals[:, 2]
    return means
