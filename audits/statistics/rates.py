"""Audited counts as the rates that recipes correct with.

Each slice with labels of right or of wrong responses gets its rates, intervals and counts. What was never labelled is
not known: without a wrong response in it a slice's false-positive rate is an interval of [0, 1], which a recipe refuses
to correct with; without a right one ``right`` is 0, which says that its false-negative rate does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from audits.statistics.clusters import Clustered, cautious
from audits.statistics.confusion import Confusion
from audits.statistics.drawn import DrawnRate
from audits.statistics.proportion import LEVEL, Interval, Proportion
from rewards.noise.rates import LENGTH_EDGES, Rate, Rates

Method = Literal["wilson", "clopper_pearson"]


def rate_of(counts: Confusion, level: float = LEVEL, method: Method = "wilson") -> Rate:
    """The rates of one slice from independent items."""
    positives, negatives = counts.false_positives(level), counts.false_negatives(level)
    return Rate(
        false_positive=positives.rate or 0.0,
        false_negative=negatives.rate or 0.0,
        false_positive_interval=_of(positives, method),
        false_negative_interval=_of(negatives, method),
        right=counts.right,
        wrong=counts.wrong,
    )


def make_clustered_rate(positives: Clustered, negatives: Clustered, level: float = LEVEL) -> Rate:
    """The rates of one slice from clusters, with the intervals of ``clusters.cautious``."""
    return Rate(
        false_positive=positives.rate or 0.0,
        false_negative=negatives.rate or 0.0,
        false_positive_interval=cautious(positives, level),
        false_negative_interval=cautious(negatives, level),
        right=negatives.trials,
        wrong=positives.trials,
    )


def make_drawn_rate(positives: DrawnRate, negatives: DrawnRate) -> Rate:
    """The rates of one slice from items drawn with unequal probability; counts are those of the labelled items."""
    return Rate(
        false_positive=positives.rate or 0.0,
        false_negative=negatives.rate or 0.0,
        false_positive_interval=positives.interval,
        false_negative_interval=negatives.interval,
        right=negatives.drawn,
        wrong=positives.drawn,
    )


def rates_of(
    source: str,
    pooled: Rate,
    by: Sequence[str] = (),
    slices: Mapping[str, Rate] | None = None,
    length_edges: Sequence[int] = LENGTH_EDGES,
    elsewhere: Rate | None = None,
) -> Rates:
    """Rates for recipes: ``source`` names the audit, slices are keyed ``name=value,...`` in the order of ``by``."""
    return Rates(
        source=source,
        pooled=pooled,
        elsewhere=elsewhere,
        by=tuple(by),
        slices=slices or {},
        length_edges=tuple(length_edges),
    )


def _of(found: Proportion, method: Method) -> Interval:
    return found.wilson if method == "wilson" else found.clopper_pearson
