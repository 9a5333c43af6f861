"""The metrics of a confusion matrix with cluster-bootstrap intervals, all from the same resamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, Groups, Verdicts, same_length
from audits.statistics.clusters import (
    REPLICATES,
    Clustered,
    Statistic,
    bootstrap_intervals,
    cluster_totals,
    rate_of_clusters,
)
from audits.statistics.confusion import Confusion, indicators
from audits.statistics.proportion import LEVEL, Interval


class ClusteredConfusion(NamedTuple):
    """Counts, both error rates by cluster, and the interval of each metric that is defined."""

    counts: Confusion
    false_positives: Clustered
    false_negatives: Clustered
    intervals: dict[str, Interval | None]


def estimate_confusion(
    right: ArrayLike,
    accepted: Verdicts,
    groups: Groups,
    *,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> ClusteredConfusion:
    """N labels, N verdicts (1, 0, None) and N group ids. Intervals of accuracy, coverage, f1, kappa, mcc,
    precision, youden.

    Their clusters are all groups; those of a rate are the groups with an item of its kind.
    """
    cells = indicators(right, accepted)
    same_length(right=cells, groups=groups)
    rows = cluster_totals(cells, groups)
    wrong = np.stack([rows[:, 3], rows[:, 3] + rows[:, 4]], axis=1)
    rejected = np.stack([rows[:, 1], rows[:, 0] + rows[:, 1]], axis=1)
    return ClusteredConfusion(
        Confusion(*(int(total) for total in rows.sum(axis=0))),
        rate_of_clusters(wrong, level=level, replicates=replicates, seed=seed),
        rate_of_clusters(rejected, level=level, replicates=replicates, seed=seed),
        bootstrap_intervals(rows, METRICS, level=level, replicates=replicates, seed=seed),
    )


def _quotient(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return ratio


def _accuracy(totals: Floats) -> Floats:
    return _quotient(totals[:, 0] + totals[:, 4], totals[:, [0, 1, 3, 4]].sum(axis=1))


def _coverage(totals: Floats) -> Floats:
    return _quotient(totals[:, [0, 1, 3, 4]].sum(axis=1), totals.sum(axis=1))


def _f1(totals: Floats) -> Floats:
    return _quotient(2 * totals[:, 0], 2 * totals[:, 0] + totals[:, 1] + totals[:, 3])


def _kappa(totals: Floats) -> Floats:
    hit, miss, _, alarm, clear, _ = totals.T
    judged = hit + miss + alarm + clear
    chance = (hit + alarm) * (hit + miss) + (miss + clear) * (alarm + clear)
    return _quotient(judged * (hit + clear) - chance, judged**2 - chance)


def _mcc(totals: Floats) -> Floats:
    hit, miss, _, alarm, clear, _ = totals.T
    margins = (hit + miss) * (alarm + clear) * (hit + alarm) * (miss + clear)
    return _quotient(hit * clear - alarm * miss, np.sqrt(margins))


def _precision(totals: Floats) -> Floats:
    return _quotient(totals[:, 0], totals[:, 0] + totals[:, 3])


def _youden(totals: Floats) -> Floats:
    hit, miss, _, alarm, clear, _ = totals.T
    return _quotient(hit, hit + miss) - _quotient(alarm, alarm + clear)


METRICS: dict[str, Statistic] = {
    "accuracy": _accuracy,
    "coverage": _coverage,
    "f1": _f1,
    "kappa": _kappa,
    "mcc": _mcc,
    "precision": _precision,
    "youden": _youden,
}
"""Those of ``Confusion`` that get an interval, from totals of its six cells."""
