"""How often an interval holds the truth: summed exactly from the binomial, and simulated with clusters.

What the documentation claims of our intervals is computed with these; so can be what they are worth for the sizes at
hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from audits.statistics.arrays import Floats
from audits.statistics.clusters import REPLICATES, rate_of_clusters
from audits.statistics.proportion import LEVEL, Interval


def exact_coverage(
    interval: Callable[[float, float, float], Interval], trials: int, rate: float, level: float = LEVEL
) -> float:
    """The probability that ``interval(errors, trials, level)`` holds ``rate``, over all possible counts of errors."""
    holds = [errors for errors in range(trials + 1) if _holds(interval(errors, trials, level), rate)]
    return float(np.sum(scipy.stats.binom.pmf(holds, trials, rate))) if holds else 0.0


class Covered(NamedTuple):
    """Of ``repeats`` simulated audits the share whose interval held the rate, and its standard error.

    ``expected_with_error`` is the expected number of clusters with an error, ``too_few`` the share of audits that said
    that they had too few.
    """

    share: float
    error: float
    repeats: int
    expected_with_error: float
    too_few: float


def cluster_coverage(
    clusters: int,
    cluster_size: int,
    rate: float,
    correlation: float,
    *,
    repeats: int = 1000,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    seed: int = 0,
) -> Covered:
    """Simulates audits whose errors correlate within clusters: beta-binomial counts, ``correlation`` in [0, 1).

    Every interval counts, those of audits that said "too few" as well; an audit without an interval does not cover.
    """
    generator = np.random.default_rng(seed)
    trials = np.full(clusters, cluster_size)
    covered = few = 0
    for repeat in range(repeats):
        errors = generator.binomial(trials, _rates(generator, clusters, rate, correlation))
        rows = np.stack([errors, trials], axis=1).astype(np.float64)
        found = rate_of_clusters(rows, level=level, replicates=replicates, seed=seed + repeat)
        covered += found.interval is not None and _holds(found.interval, rate)
        few += found.too_few is not None
    share = covered / repeats
    error = math.sqrt(share * (1 - share) / repeats)
    return Covered(share, error, repeats, estimate_with_error(clusters, cluster_size, rate, correlation), few / repeats)


def estimate_with_error(clusters: int, cluster_size: int, rate: float, correlation: float) -> float:
    """The expected number of clusters with an error, where errors correlate as in ``cluster_coverage``."""
    if correlation == 0:
        return clusters * (1 - (1 - rate) ** cluster_size)
    spread = 1 / correlation - 1
    none = math.prod(((1 - rate) * spread + item) / (spread + item) for item in range(cluster_size))
    return clusters * (1 - none)


class Situation(NamedTuple):
    """Clusters of one size, and the rate at which ``expected`` of them have an error."""

    clusters: int
    cluster_size: int
    correlation: float
    rate: float


def smallest_situations(expected: float = 30.0) -> list[Situation]:
    """Where the cluster bootstrap is first claimed to hold: so many expected clusters with an error, from 50 on."""
    return [
        Situation(clusters, size, correlation, _rate_for(clusters, size, correlation, expected))
        for clusters in (50, 100, 400)
        for size in (4, 16)
        for correlation in (0.0, 0.1, 0.5)
    ]


def coverage_table(repeats: int, *, replicates: int = REPLICATES, seed: int = 0) -> list[tuple[Situation, Covered]]:
    """The coverage in each of the smallest situations: with 4000 repeats a standard error of a third of a percent."""
    return [
        (one, cluster_coverage(*one[:2], one.rate, one.correlation, repeats=repeats, replicates=replicates, seed=seed))
        for one in smallest_situations()
    ]


def _rate_for(clusters: int, cluster_size: int, correlation: float, expected: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = estimate_with_error(clusters, cluster_size, middle, correlation) >= expected
        low, high = (low, middle) if enough else (middle, high)
    return high


def _rates(generator: np.random.Generator, clusters: int, rate: float, correlation: float) -> Floats:
    if correlation == 0:
        return np.full(clusters, rate)
    spread = 1 / correlation - 1
    return generator.beta(rate * spread, (1 - rate) * spread, size=clusters)


def _holds(interval: Interval, rate: float) -> bool:
    return interval.low <= rate <= interval.high
