"""Intervals of rates whose items come in clusters: the answers to one prompt share their errors.

The bootstrap draws whole clusters with replacement. A total depends only on how often each cluster was drawn, and
clusters with equal counts are alike, so a resample is one multinomial draw over the *different* count rows: a million
items in groups of eight cost as much as a few hundred. The interval is BCa (Efron 1987) at the level that makes up
for the normal quantiles' narrowness (Hesterberg 2015, section 3): without it 50 clusters cover less than they should.

Below 50 clusters, or below 30 of them with an error (or 30 without), or where one of them is so large that it decides,
``too_few`` says so: the interval is then a hint, and the widest of those that are there should be believed.
Not covered: clusters within clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from audits.statistics.arrays import Bools, Floats, Groups, codes, in_open_unit, same_length, truths
from audits.statistics.interval_ends import ends
from audits.statistics.proportion import LEVEL, Interval, wilson

REPLICATES = 2000
LEAST_CLUSTERS = 50
LEAST_WITH_ERROR = 30
MOST_OF_ONE = 0.08
"""The largest cluster's share of the sum of squared sizes. Beyond it no number of clusters makes a mean normal
(Lindeberg): as a rule the largest has no error, and then no resample has one either."""
_DRAWS_AT_ONCE = 4_000_000

Statistic = Callable[[Floats], Floats]
"""From B x K totals to B values, NaN where a value is undefined."""


class Clustered(NamedTuple):
    """A rate by cluster bootstrap.

    ``interval`` is None with fewer than two clusters; with no error, or nothing but errors, it has no width, which
    ``too_few`` says. ``design_effect`` is the variance against that of as many independent items, and
    ``effective_trials = trials / design_effect`` what they are worth; both None where the variance is 0.
    ``effective_clusters`` is how many clusters of equal size these are worth, were all items of a cluster alike (Kish).
    """

    errors: int
    trials: int
    rate: float | None
    interval: Interval | None
    clusters: int
    effective_clusters: float
    design_effect: float | None
    effective_trials: float | None
    too_few: str | None


def estimate_rate(
    errors: ArrayLike,
    groups: Groups,
    *,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Clustered:
    """The share of N items (1 error, 0 none) in clusters, with its bootstrap interval."""
    wrong = truths("errors", errors)
    same_length(errors=wrong, groups=groups)
    rows = cluster_totals(np.stack([wrong, np.ones_like(wrong)], axis=1).astype(np.float64), groups)
    return rate_of_clusters(rows, level=level, replicates=replicates, seed=seed)


def rate_of_clusters(rows: Floats, *, level: float = LEVEL, replicates: int = REPLICATES, seed: int = 0) -> Clustered:
    """The same from counts: G x 2, errors and trials of each cluster. Clusters without trials are left out."""
    rows = rows[rows[:, 1] > 0]
    errors, trials = (int(total) for total in rows.sum(axis=0)) if len(rows) else (0, 0)
    rate = errors / trials if trials else None
    found = bootstrap_intervals(rows, {"rate": rates_of}, level=level, replicates=replicates, seed=seed)
    effect = _design_effect(rows, rate)
    few = too_few(rows[:, 1], rows[:, 0] > 0, rows[:, 0] < rows[:, 1])
    worth = trials**2 / float(np.sum(rows[:, 1] ** 2)) if trials else 0.0
    effective = trials / effect if effect else None
    return Clustered(errors, trials, rate, found["rate"], len(rows), worth, effect, effective, few)


def cautious(found: Clustered, level: float = LEVEL) -> Interval:
    """The interval to act on: the bootstrap's, or where that had too few Wilson's with ``effective_clusters`` items.

    The latter is right where all items of a cluster are alike, and too wide else. Where sizes differ so much that
    clusters are worth less than half their number, an error of the largest makes Wilson's lower end too high: then it
    is the wider of his and Clopper and Pearson's.
    """
    if found.too_few is None and found.interval is not None:
        return found.interval
    worth = found.effective_clusters
    errors = (found.rate or 0.0) * worth
    if 2 * worth >= found.clusters:
        return wilson(errors, worth, level)
    low, high = ends(np.array([errors]), np.array([worth]), level)
    return Interval(float(low[0]), float(high[0]))


def cluster_totals(columns: Floats, groups: Groups) -> Floats:
    """Sums of each column by cluster. Shape N x K in, G x K out, clusters in order of appearance or of number."""
    place = codes("groups", groups)
    same_length(columns=columns, groups=place)
    size = int(place.max()) + 1 if len(place) else 0
    sums = [np.bincount(place, weights=column, minlength=size) for column in columns.T]
    return np.stack(sums, axis=1) if size else np.zeros((0, columns.shape[1]))


def resample_totals(rows: Floats, replicates: int = REPLICATES, seed: int = 0) -> Floats:
    """Totals of ``replicates`` resamples of G clusters. Shape G x K in, replicates x K out."""
    if replicates < 1:
        raise ValueError(f"replicates must be at least 1, got {replicates}")
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    generator = np.random.default_rng(seed)
    # a few replicates at a time: the draws of all of them could need gigabytes
    portion = max(_DRAWS_AT_ONCE // len(kinds), 1)
    sizes = [min(portion, replicates - done) for done in range(0, replicates, portion)]
    return np.concatenate([generator.multinomial(len(rows), counts / len(rows), size=size) @ kinds for size in sizes])


def bootstrap_intervals(
    rows: Floats,
    statistics: Mapping[str, Statistic],
    *,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> dict[str, Interval | None]:
    """BCa intervals of statistics of the column totals of G x K counts, all from the same resamples.

    None where a statistic is undefined on the data, or on more than one resample in twenty; and for all of them with
    fewer than two clusters.
    """
    in_open_unit("level", level)
    if len(rows) < 2:
        return dict.fromkeys(statistics)
    totals = resample_totals(rows, replicates, seed)
    return {name: _interval(rows, totals, statistic, level) for name, statistic in statistics.items()}


def _interval(rows: Floats, totals: Floats, statistic: Statistic, level: float) -> Interval | None:
    observed = float(statistic(rows.sum(axis=0, keepdims=True))[0])
    drawn = statistic(totals)
    values = drawn[~np.isnan(drawn)]
    if math.isnan(observed) or len(values) < 0.95 * len(drawn):
        return None
    if values.min() == values.max():
        return Interval(float(values[0]), float(values[0]))
    below = np.mean(values < observed) + 0.5 * np.mean(values == observed)
    bias = scipy.special.ndtri(np.clip(below, 0.5 / len(values), 1 - 0.5 / len(values)))
    size = len(rows)
    reach = math.sqrt(size / (size - 1)) * scipy.special.stdtrit(size - 1, 0.5 + level / 2)
    shifted = bias + np.array([-reach, reach])
    # beyond its pole the map of levels would turn around: there is nothing further out than the extreme resample
    bent = 1 - _acceleration(rows, statistic, observed) * shifted
    places = np.where(bent > 0, scipy.special.ndtr(bias + shifted / np.where(bent > 0, bent, 1.0)), shifted > 0)
    low, high = np.quantile(values, places)
    return Interval(float(low), float(high))


def too_few(sizes: Floats, with_error: Bools, without_error: Bools) -> str | None:
    """Why a bootstrap of K clusters is not to be relied on; None where it is. ``sizes`` are their numbers of items."""
    clusters, some, others = len(sizes), int(with_error.sum()), int(without_error.sum())
    if clusters < LEAST_CLUSTERS:
        return f"too few: {clusters} clusters, {LEAST_CLUSTERS} are needed"
    if some < LEAST_WITH_ERROR:
        return f"too few: {some} clusters with an error, {LEAST_WITH_ERROR} are needed"
    if others < LEAST_WITH_ERROR:
        return f"too few: {others} clusters with an item that is no error, {LEAST_WITH_ERROR} are needed"
    if float(sizes.max()) ** 2 > MOST_OF_ONE * float(np.sum(sizes**2)):
        return f"too few: one of {clusters} clusters has {sizes.max() / sizes.sum():.0%} of the items, and decides"
    return None


def _acceleration(rows: Floats, statistic: Statistic, observed: float) -> float:
    """From the jackknife over clusters, each kind once: the skewness of a cluster's influence, over six."""
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    left_out = statistic(rows.sum(axis=0, keepdims=True) - kinds)
    left_out = np.where(np.isnan(left_out), observed, left_out)
    gap = np.average(left_out, weights=counts) - left_out
    squares = float(np.sum(counts * gap**2))
    return float(np.sum(counts * gap**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def rates_of(totals: Floats) -> Floats:
    """The shares of rows of (count, size)."""
    shares: Floats = totals[:, 0] / totals[:, 1]
    return shares


def _design_effect(rows: Floats, rate: float | None) -> float | None:
    if rate is None or rate in (0, 1) or len(rows) < 2:
        return None
    trials = rows[:, 1].sum()
    residuals = rows[:, 0] - rate * rows[:, 1]
    variance = len(rows) / (len(rows) - 1) * np.sum(residuals**2) / trials**2
    return float(variance / (rate * (1 - rate) / trials))
