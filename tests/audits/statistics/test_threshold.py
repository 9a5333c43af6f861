"""Threshold curves, by hand and by law; scikit-learn is asked elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.threshold import auc, average_precision, threshold_curve

scored = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({right for _, right in rows}) == 2
)


def test_a_curve_by_hand() -> None:
    curve = threshold_curve([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0])
    assert curve.thresholds.tolist() == [math.inf, 0.9, 0.5, 0.1]
    assert curve.false_positive_rate.tolist() == [0, 0, 0.5, 1]
    assert curve.false_negative_rate.tolist() == [1, 0.5, 0, 0]
    assert curve.precision.tolist() == pytest.approx([1, 1, 2 / 3, 0.5])
    assert curve.youden.tolist() == pytest.approx([0, 0.5, 0.5, 0])
    assert auc([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0]) == pytest.approx(3.5 / 4)
    assert average_precision([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0]) == pytest.approx(0.5 + 0.5 * 2 / 3)


@given(scored)
def test_area_is_that_under_the_curve_and_of_all_pairs(rows: list[tuple[int, bool]]) -> None:
    scores, right = [score for score, _ in rows], [truth for _, truth in rows]
    curve = threshold_curve(scores, right)
    area = auc(scores, right)
    assert area == pytest.approx(float(np.trapezoid(curve.recall, curve.false_positive_rate)))
    pairs = [(good > bad) + (good == bad) / 2 for good, a in rows if a for bad, b in rows if not b]
    assert area == pytest.approx(float(np.mean(pairs)))
    assert auc([-score for score in scores], right) == pytest.approx(1 - area)


def test_one_score_for_all_says_nothing() -> None:
    assert auc([3, 3, 3], [1, 0, 1]) == 0.5
