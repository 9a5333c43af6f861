"""Audited counts as the rates that recipes correct with.

Each slice with labels of right or of wrong responses gets its rates, intervals and counts. What was never labelled is
not known: without a wrong response in it a slice's false-positive rate is an interval of [0, 1], which a recipe refuses
to correct with; without a right one ``right`` is 0, which says that its false-negative rate does not matter.
"""

from __future__ import annotations

from audits.statistics.clusters import Clustered, cautious
from audits.statistics.drawn import DrawnRate
from audits.statistics.proportion import LEVEL
from rewards.noise.rates import Rate


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
