"""The confusion matrix with its third column."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.confusion import Confusion, confusion
from audits.statistics.proportion import Interval

items = st.lists(st.tuples(st.booleans(), st.sampled_from([True, False, None])), max_size=60)


def test_counts_by_hand() -> None:
    found = confusion([1, 1, 1, 1, 0, 0, 0], [1, 0, None, 1, 1, 0, math.nan])
    assert found == Confusion(2, 1, 1, 1, 1, 1)
    assert (found.right, found.wrong, found.judged, found.items) == (3, 2, 5, 7)
    assert found.coverage == pytest.approx(5 / 7)


def test_metrics_by_hand() -> None:
    found = Confusion(80, 20, 0, 10, 90, 0)
    assert found.false_positive_rate == pytest.approx(0.1)
    assert found.false_negative_rate == pytest.approx(0.2)
    assert found.youden == pytest.approx(0.7)
    assert found.precision == pytest.approx(8 / 9)
    assert found.recall == pytest.approx(0.8)
    assert found.f1 == pytest.approx(16 / 19)
    assert found.accuracy == pytest.approx(0.85)
    assert found.kappa == pytest.approx(0.7)
    assert found.mcc == pytest.approx(7000 / math.sqrt(100 * 100 * 90 * 110))
    assert found.false_negatives().errors == 20


def test_without_labels_everything_is_undefined() -> None:
    nothing = confusion([], [])
    assert nothing == Confusion(0, 0, 0, 0, 0, 0)
    names = ("coverage", "false_positive_rate", "false_negative_rate", "accuracy", "precision", "recall", "f1")
    assert {getattr(nothing, name) for name in (*names, "mcc", "kappa", "youden")} == {None}


def test_one_class_only_leaves_the_other_rate_undefined() -> None:
    rights = confusion([1, 1, 1], [1, 1, 0])
    assert rights.false_negative_rate == pytest.approx(1 / 3)
    assert rights.false_positive_rate is None
    assert rights.false_positives().wilson == Interval(0, 1)
    assert rights.youden is None
    assert rights.mcc is None


def test_a_verifier_that_never_answers_has_no_rates() -> None:
    silent = confusion([1, 0], [None, None])
    assert silent.coverage == 0
    assert silent.false_negative_rate is None


@given(items)
def test_cells_add_up_and_missing_verdicts_change_no_rate(drawn: list[tuple[bool, bool | None]]) -> None:
    found = confusion([one for one, _ in drawn], [said for _, said in drawn])
    judged = [(one, said) for one, said in drawn if said is not None]
    assert found.items == len(drawn)
    kept = confusion([one for one, _ in judged], [said for _, said in judged])
    assert kept.false_positive_rate == found.false_positive_rate
    assert kept.mcc == found.mcc


@given(items)
def test_metrics_stay_in_their_ranges(drawn: list[tuple[bool, bool | None]]) -> None:
    found = confusion([one for one, _ in drawn], [said for _, said in drawn])
    for value, least in ((found.f1, 0), (found.precision, 0), (found.mcc, -1), (found.kappa, -1), (found.youden, -1)):
        assert value is None or least - 1e-12 <= value <= 1 + 1e-12
