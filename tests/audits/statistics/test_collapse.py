"""Rewards without labels: collapse, saturation, variety; pass@k; suspected references."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.collapse import collapse_step, saturation_step, variety
from audits.statistics.suspect import SuspectAnswer, suspect_reference
from trueward.estimators.pass_at_k import pass_at_k


def test_collapse_is_dated_to_its_first_window() -> None:
    accuracy = [0.5, 0.6, 0.7, 0.6, 0.5, 0.4, 0.3]
    reward = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0]
    assert collapse_step(accuracy, reward, drop=0.05, windows=3) == 3
    assert collapse_step(accuracy, reward, drop=0.15, windows=3) == 4
    assert collapse_step(accuracy, reward, drop=0.05, windows=5) is None


def test_a_dip_and_a_reward_that_falls_along_are_no_collapse() -> None:
    assert collapse_step([0.7, 0.5, 0.5, 0.7, 0.5, 0.5], [1] * 6) is None
    assert collapse_step([0.7, 0.5, 0.4, 0.3], [0.7, 0.5, 0.4, 0.3]) is None
    assert collapse_step([0.7, 0.5, 0.4, 0.3], [1.0, 0.99, 0.985, 0.99]) == 1  # noise of a saturated reward
    assert collapse_step([], []) is None
    with pytest.raises(ValueError, match="accuracy holds 1 missing"):
        collapse_step([0.1, math.nan], [1, 1])
    with pytest.raises(ValueError, match="windows"):
        collapse_step([0.1], [1], windows=0)


def test_saturation() -> None:
    assert saturation_step([0.2, 0.94, 0.95, 0.9], ceiling=1.0) == 2
    assert saturation_step([0.2, 1.89, 1.91], ceiling=2.0) == 2
    assert saturation_step([0.2], ceiling=1.0) is None
    with pytest.raises(ValueError, match="ceiling"):
        saturation_step([0.2], ceiling=0)


def test_variety_by_hand() -> None:
    assert variety(["a", "a", "b", None]) == pytest.approx((math.log(3) - 2 / 3 * math.log(2), 2, 3))
    assert variety(["a"] * 9) == (0, 1, 9)
    assert variety([None]) == (0, 0, 0)


@given(st.lists(st.integers(0, 4), min_size=1))
def test_entropy_is_at_most_that_of_equal_shares(classes: list[int]) -> None:
    found = variety(classes)
    assert 0 <= found.entropy <= math.log(found.distinct) + 1e-12


def test_pass_at_k_worked_number() -> None:
    assert pass_at_k(10, 3, 2) == pytest.approx(0.533333, abs=1e-6)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(case: tuple[int, int, int]) -> None:
    responses, right, k = case
    draws = list(combinations(range(responses), k))
    assert pass_at_k(*case) == pytest.approx(sum(min(draw) < right for draw in draws) / len(draws))


def test_pass_at_k_of_thousands_does_not_overflow() -> None:
    assert pass_at_k(100_000, 1, 50_000) == pytest.approx(0.5)
    for case in ((0, 0, 1), (5, 6, 1), (5, -1, 1), (5, 2, 6), (5, 2, 0)):
        with pytest.raises(ValueError):
            pass_at_k(*case)


def test_an_agreed_answer_that_only_the_reference_rejects_is_suspect() -> None:
    classes = [1, 1, 1, 2, None]
    said: list[bool | None] = [False, False, False, True, None]
    second: list[bool | None] = [True, None, True, False, None]
    assert suspect_reference(classes, said, second) == SuspectAnswer(1, 0.75, 4)
    assert suspect_reference(classes, said, second, agree=0.8) is None


@pytest.mark.parametrize(
    ("classes", "accepted", "second"),
    [
        ([1, 1, 1], [False, True, False], [True, True, True]),  # the reference accepts the answer in another form
        ([1, 1, 1], [False, False, False], [False, None, None]),  # the second verifier rejects it, too
        ([1, 1, 1], [False, False, False], [None, None, None]),  # ... or says nothing
        ([1, 1, 1], [None, None, None], [True, True, True]),  # nobody judged against the reference
        ([1, 1, 2, 2], [False] * 4, [True] * 4),  # no agreement
        ([1, None, None], [False, None, None], [True, None, None]),  # one answer agrees with nobody
        ([None, None], [None, None], [None, None]),
        ([], [], []),
    ],
)
def test_references_are_not_suspected_for_less(
    classes: list[int | None], accepted: list[bool | None], second: list[bool | None]
) -> None:
    assert suspect_reference(classes, accepted, second) is None


def test_suspicion_needs_one_entry_per_response_and_a_majority() -> None:
    with pytest.raises(ValueError, match="one entry per response"):
        suspect_reference([1], [False], [])
    with pytest.raises(ValueError, match="agree"):
        suspect_reference([1, 1], [False, False], [True, True], agree=0.5)
