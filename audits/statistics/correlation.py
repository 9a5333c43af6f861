"""Whether a reward still follows the gold labels, checkpoint by checkpoint (Correlated Proxies, arXiv 2403.03185)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, Groups, numbers, same_length
from audits.statistics.clusters import REPLICATES, bootstrap_intervals, cluster_totals
from audits.statistics.proportion import LEVEL, Interval


class Correlation(NamedTuple):
    """Pearson's r of reward and gold; None where one of them is constant."""

    value: float | None
    interval: Interval | None

    def is_below(self, base: Correlation) -> bool:
        """True where this interval lies below that of the base policy: an alarm."""
        return self.interval is not None and base.interval is not None and self.interval.high < base.interval.low


def correlation(
    rewards: ArrayLike,
    gold: ArrayLike,
    groups: Groups,
    *,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Correlation:
    """N rewards and N gold scores, with a cluster-bootstrap interval."""
    one, other = numbers("rewards", rewards), numbers("gold", gold)
    same_length(rewards=one, gold=other, groups=groups)
    if not len(one) or one.min() == one.max() or other.min() == other.max():
        return Correlation(None, None)
    one, other = ((values - values.mean()) / values.std() for values in (one, other))
    rows = cluster_totals(
        np.stack([np.ones_like(one), one, other, one * one, other * other, one * other], axis=1), groups
    )
    found = bootstrap_intervals(rows, {"r": _pearson}, level=level, replicates=replicates, seed=seed)
    return Correlation(float(_pearson(rows.sum(axis=0, keepdims=True))[0]), found["r"])


def _pearson(totals: Floats) -> Floats:
    count, one, other, squares, others, both = totals.T
    spread = (count * squares - one * one) * (count * others - other * other)
    known = spread > 1e-12 * count**4
    found = np.full(len(count), np.nan)
    found[known] = (count * both - one * other)[known] / np.sqrt(spread[known])
    return found
