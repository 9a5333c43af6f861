"""What scores and confidences are worth: error rates by threshold, ROC, precision and recall, calibration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audits.labelled.frame import Framed
from audits.labelled.measured import Items, Labelled
from audits.labelled.records import Records
from audits.statistics.arrays import Bools, Floats
from audits.statistics.calibration import Calibration, calibration, run_calibration
from audits.statistics.threshold import ThresholdCurve, auc, average_precision, threshold_curve
from trueward.wire.verdict import Outcome

_SHOWN = 200
"""Points of a curve that a report keeps."""


class Curve(NamedTuple):
    """``points`` without the threshold that accepts nothing; at most 200 of them. ``best`` has the largest J."""

    points: ThresholdCurve
    thresholds: int
    auc: float
    average_precision: float
    best: int

    @property
    def at_best(self) -> tuple[float, float, float]:
        """Threshold, false-positive rate, false-negative rate."""
        points = self.points
        threshold, positive, negative, _ = (float(line[self.best]) for line in points)
        return threshold, positive, negative


def score_curve(records: Records, items: Items) -> Curve | None:
    """None where scores are missing, say no more than a yes or no, or where all responses are right, or all wrong.

    An invalid response is not accepted at any threshold, so it stands below the least score.
    """
    scores = records.score[items.rows]
    scored = ~np.isnan(scores)
    values, right = scores[scored], items.right[scored]
    if len(np.unique(values)) <= 2 or right.all() or not right.any():
        return None
    invalid = _invalid(records)[items.rows][scored]
    values = np.where(invalid, values.min() - 1, values)
    whole = threshold_curve(values, right)
    kept = ThresholdCurve(*(line[1 : -1 if invalid.any() else None] for line in whole))
    if not len(kept.thresholds):
        return None
    best = int(np.argmax(kept.youden))
    places = np.unique([*np.linspace(0, len(kept.thresholds) - 1, _SHOWN - 1).astype(np.int64), best])
    points = ThresholdCurve(*(line[places] for line in kept))
    found = auc(values, right), average_precision(values, right)
    return Curve(points, len(kept.thresholds), *found, int(np.searchsorted(places, best)))


def calibrations(records: Records, labelled: Labelled, level: float) -> dict[str, Calibration]:
    """``confidence``: that the verdict is right; ``score``: in [0, 1], that the response is. Those that there are; of
    the run, where responses were drawn."""
    if labelled.framed.drawn:
        return _of_run(records, labelled.framed)
    found, items = {}, labelled.items
    confidence = records.confidence[items.rows]
    stated = ~np.isnan(confidence) & items.judged
    if stated.any():
        agrees = (items.accepted == 1) == items.right
        found["confidence"] = calibration(confidence[stated], agrees[stated], level=level)
    score = records.score[items.rows]
    scored = ~np.isnan(score)
    if _graded(score[scored]):
        found["score"] = calibration(score[scored], items.right[scored], level=level)
    return found


def _of_run(records: Records, framed: Framed) -> dict[str, Calibration]:
    judged = ~np.isnan(records.accepted)
    confidence = run_calibration(
        np.where(judged, records.confidence, np.nan), lambda some: framed.rates(some).accuracy()
    )
    known = records.score[~np.isnan(records.score)]
    score = run_calibration(records.score, lambda some: framed.rates(some).right()) if _graded(known) else None
    return {name: one for name, one in (("confidence", confidence), ("score", score)) if one is not None}


def _graded(scores: Floats) -> bool:
    return len(np.unique(scores)) > 2 and bool(scores.min() >= 0 and scores.max() <= 1)


def _invalid(records: Records) -> Bools:
    names = records.outcome.names
    if Outcome.INVALID.value not in names:
        return np.zeros(len(records), dtype=np.bool_)
    found: Bools = records.outcome.codes == names.index(Outcome.INVALID.value)
    return found
