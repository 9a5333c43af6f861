"""Labelled audits without a draw whose clusters have uneven sizes: what a gate and a recipe get of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from audits.statistics.clusters import cautious, rate_of_clusters

LARGEST, REPLICATES = 4_000, 500


@dataclass(frozen=True, slots=True)
class Clusters:
    """Beta-binomial errors; sizes follow a Pareto distribution with this tail. Over many audits how often the cautious
    interval holds the rate and lies below it, its width, and how often the bootstrap alone holds it."""

    clusters: int
    tail: float
    rate: float
    correlation: float
    covers: float = 0.0
    below: float = 0.0
    width: float = 0.0
    bootstrap_covers: float = 0.0


def situations(form: str) -> list[Clusters]:
    counts, tails = ((400,), (0.8,)) if form == "short" else ((100, 400, 1_500), (0.8, 1.5, 3.0))
    return [
        Clusters(count, tail, rate, correlation)
        for count in counts
        for tail in tails
        for rate in (0.02, 0.1)
        for correlation in (0.3, 0.9)
    ]


def clustered(situation: Clusters, audits: int, seed: int) -> Clusters:
    generator = np.random.default_rng([seed, 2])
    rate, spread = situation.rate, 1 / situation.correlation - 1
    covers, below, widths, alone = [], [], [], []
    for audit in range(audits):
        sizes = np.minimum(np.floor(generator.pareto(situation.tail, situation.clusters) + 1), LARGEST)
        fates = generator.beta(rate * spread, (1 - rate) * spread, situation.clusters)
        errors = generator.binomial(sizes.astype(np.int64), fates)
        found = rate_of_clusters(np.stack([errors, sizes], axis=1), replicates=REPLICATES, seed=audit)
        low, high = cautious(found)
        covers.append(low <= rate <= high)
        below.append(high < rate)
        widths.append(high - low)
        alone.append(found.interval is not None and found.interval.low <= rate <= found.interval.high)
    return replace(
        situation,
        covers=float(np.mean(covers)),
        below=float(np.mean(below)),
        width=float(np.mean(widths)),
        bootstrap_covers=float(np.mean(alone)),
    )
