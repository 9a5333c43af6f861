"""What a score is worth at each threshold: error rates, ROC, precision and recall.

A response is accepted where its score is at least the threshold. Scores that are missing are an error here: leave
those responses out and report how many they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from audits.statistics.arrays import Bools, Floats, numbers, same_length, truths


class ThresholdCurve(NamedTuple):
    """One entry per threshold, from "accept nothing" (infinity) down to the least score, which accepts everything.

    ``precision`` is 1 where nothing is accepted, by convention.
    """

    thresholds: Floats
    false_positive_rate: Floats
    false_negative_rate: Floats
    precision: Floats

    @property
    def recall(self) -> Floats:
        found: Floats = 1 - self.false_negative_rate
        return found

    @property
    def youden(self) -> Floats:
        index: Floats = 1 - self.false_positive_rate - self.false_negative_rate
        return index


def threshold_curve(scores: ArrayLike, right: ArrayLike) -> ThresholdCurve:
    """N scores against N labels. Raises ValueError unless there are right and wrong responses."""
    values, truth = _both_classes(scores, right)
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)  # of each run of equal scores
    hits = np.concatenate([[0], np.cumsum(truth[order])[last]])
    accepted = np.concatenate([[0], last + 1])
    rights = int(truth.sum())
    alarms = accepted - hits
    return ThresholdCurve(
        np.concatenate([[np.inf], ranked[last]]),
        alarms / (len(truth) - rights),
        1 - hits / rights,
        np.where(accepted > 0, hits / np.maximum(accepted, 1), 1.0),
    )


def auc(scores: ArrayLike, right: ArrayLike) -> float:
    """Area under the ROC: P(a right response scores above a wrong one), ties counting half."""
    values, truth = _both_classes(scores, right)
    rights = int(truth.sum())
    ranks = scipy.stats.rankdata(values)
    above = float(ranks[truth].sum()) - rights * (rights + 1) / 2
    return above / (rights * (len(truth) - rights))


def average_precision(scores: ArrayLike, right: ArrayLike) -> float:
    """Area under precision and recall as a step function: precision times the gain of recall, summed."""
    curve = threshold_curve(scores, right)
    return float(np.sum(np.diff(curve.recall) * curve.precision[1:]))


def _both_classes(scores: ArrayLike, right: ArrayLike) -> tuple[Floats, Bools]:
    values, truth = numbers("scores", scores), truths("right", right)
    same_length(scores=values, right=truth)
    if truth.all() or not truth.any():
        kind = "no labels" if not len(truth) else "only right responses" if truth.all() else "only wrong responses"
        raise ValueError(f"{kind}: a threshold needs both right and wrong responses")
    return values, truth
