"""The rates of a recipe's slices, partially pooled: a slice that was labelled little is near the others, and wide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from audits.labelled.measured import Labelled
from audits.statistics.arrays import Bools
from audits.statistics.partial_pooling import PartlyPooled, pool_partly, worth
from audits.statistics.proportion import EVERYTHING, Interval, clopper_pearson
from rewards.noise.rates import Rate


class PooledSlices(NamedTuple):
    """``elsewhere`` is what a slice without labels is likely to have; None where there are no slices."""

    slices: dict[str, Rate]
    elsewhere: Rate | None


def pool_slices(slices: Mapping[str, Rate], level: float) -> PooledSlices:
    """Each slice's intervals say how many independent labels it is worth; both rates are pooled by themselves."""
    if not slices:
        return PooledSlices({}, None)
    positives = _pooled(
        [_counts(one.false_positive, one.false_positive_interval, level) for one in slices.values()], level
    )
    negatives = _pooled(
        [_counts(one.false_negative, one.false_negative_interval, level) for one in slices.values()], level
    )
    found = {
        key: rate.model_copy(
            update={
                "false_positive": positive.rate,
                "false_positive_interval": positive.interval,
                "false_positive_error": positive.error,
                "false_negative": negative.rate,
                "false_negative_interval": negative.interval,
                "false_negative_error": negative.error,
            }
        )
        for (key, rate), positive, negative in zip(slices.items(), positives.slices, negatives.slices, strict=True)
    }
    elsewhere = Rate(
        false_positive=positives.elsewhere.rate,
        false_positive_interval=positives.elsewhere.interval,
        false_positive_error=positives.elsewhere.error,
        false_negative=negatives.elsewhere.rate,
        false_negative_interval=negatives.elsewhere.interval,
        false_negative_error=negatives.elsewhere.error,
    )
    return PooledSlices(found, elsewhere)


def right_high(labelled: Labelled, inside: Bools, some: Bools, level: float) -> float | None:
    """Upper end of the share of right responses where no labelled one is right; None where one is.

    Of drawn responses it is that of the run; else answers to one prompt count as one.
    """
    items = labelled.items.of(some)
    if items.right.any():
        return None
    if labelled.framed.drawn:
        return labelled.framed.rates(inside).right().interval.high
    return clopper_pearson(0, len(np.unique(items.groups)), level).high


def _counts(rate: float, interval: tuple[float, float] | None, level: float) -> tuple[float, float]:
    trials = worth(rate, EVERYTHING if interval is None else Interval(*interval), level)
    return rate * trials, trials


def _pooled(counts: list[tuple[float, float]], level: float) -> PartlyPooled:
    errors, trials = zip(*counts, strict=True)
    return pool_partly(errors, trials, level)
