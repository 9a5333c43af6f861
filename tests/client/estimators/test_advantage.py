"""Advantages: worked numbers, and what must hold of every group."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.estimators.advantage import (
    best_only,
    centre,
    leave_one_out,
    length_weighted,
    negative_only,
    positive_only,
    standardise,
    weigh_outcomes,
)
from trueward.estimators.objectives import sum_normalised, whiten
from trueward.estimators.scores import Scores, drop_missing, std, success_rate, zero_variance

groups = st.lists(st.none() | st.floats(-100, 100), min_size=1, max_size=12)
ESTIMATORS: list[Callable[[Scores], list[float]]] = [centre, leave_one_out, standardise]


def test_the_worked_group_of_four() -> None:
    rewards = [1.0, 0.0, 0.0, 0.0]
    assert standardise(rewards) == pytest.approx([1.499997, -0.499999, -0.499999, -0.499999], abs=1e-6)
    assert standardise(rewards, ddof=0, epsilon=0) == pytest.approx([1.732051] + [-0.577350] * 3, abs=1e-6)
    assert centre(rewards) == [0.75, -0.25, -0.25, -0.25]
    assert leave_one_out(rewards) == pytest.approx([1.0] + [-1 / 3] * 3)


@pytest.mark.parametrize("estimate", ESTIMATORS)
@given(values=groups)
def test_advantages_sum_to_nothing_and_missing_ones_are_nothing(
    estimate: Callable[[Scores], list[float]], values: list[float | None]
) -> None:
    advantages = estimate(values)
    assert len(advantages) == len(values)
    assert sum(advantages) == pytest.approx(0, abs=1e-6)
    assert all(advantage == 0 for value, advantage in zip(values, advantages, strict=True) if value is None)


@pytest.mark.parametrize("estimate", ESTIMATORS)
@given(values=groups, at=st.integers(0, 12))
def test_a_missing_member_changes_nothing_for_the_others(
    estimate: Callable[[Scores], list[float]], values: list[float | None], at: int
) -> None:
    with_one_more = [*values[:at], None, *values[at:]]
    others = estimate(with_one_more)
    del others[min(at, len(values))]
    assert others == estimate(values)


@pytest.mark.parametrize("estimate", [*ESTIMATORS, best_only])
@pytest.mark.parametrize("values", [[3.0], [None], [0.1] * 7, [0.3, None, 0.3]])
def test_without_spread_there_is_nothing_to_learn(
    estimate: Callable[[Scores], list[float]], values: list[float | None]
) -> None:
    assert estimate(values) == [0.0] * len(values)


@given(groups)
def test_leave_one_out_is_the_reward_less_the_mean_of_the_others(values: list[float | None]) -> None:
    there = drop_missing(values)
    for value, advantage in zip(values, leave_one_out(values), strict=True):
        if value is not None and len(there) > 1:
            others = (sum(there) - value) / (len(there) - 1)
            assert advantage == pytest.approx(value - others, abs=1e-6)


def test_length_weighted_baseline() -> None:
    assert length_weighted([1.0, 0.0], [10, 30]) == [0.75, -0.25]
    assert length_weighted([1.0, None, 0.0], [10, 99, 30]) == [0.75, 0.0, -0.25]


def test_best_only_gives_the_lead_over_the_second() -> None:
    assert best_only([0.2, 0.9, None, 0.5]) == [0.0, pytest.approx(0.4), 0.0, 0.0]
    assert best_only([0.9, 0.9, 0.1]) == [0.0, 0.0, 0.0]


def test_signed_advantages_know_right_and_wrong_alone() -> None:
    assert weigh_outcomes([1.0, 0.0, None]) == [0.1, -1.0, 0.0]
    assert positive_only([1.0, 0.0]) == [1.0, 0.0]
    assert negative_only([1.0, 0.0]) == [0.0, -1.0]
    with pytest.raises(ValueError, match="0 or 1"):
        weigh_outcomes([0.5])


def test_objectives_are_normalised_before_they_are_added() -> None:
    columns = {"a": [1.0, 0.0, 0.0, 1.0], "b": [10.0, 20.0, 30.0, 40.0]}
    sums = sum_normalised(columns, {"a": 1.0, "b": 1.0}, ddof=1, epsilon=0)
    assert sums == pytest.approx([-0.295870, -1.253324, -0.478727, 2.027920], abs=1e-6)
    plain = [a + b for a, b in zip(columns["a"], columns["b"], strict=True)]
    of_plain = standardise(plain, ddof=1, epsilon=0)
    assert of_plain == pytest.approx([-1.122044, -0.425603, 0.348220, 1.199426], abs=1e-6)
    assert sorted(range(4), key=sums.__getitem__) != sorted(range(4), key=of_plain.__getitem__)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=9), st.floats(0.1, 50), st.floats(-9, 9))
def test_the_scale_of_an_objective_does_not_matter(values: list[float], scale: float, offset: float) -> None:
    columns = {"a": values, "b": values[::-1]}
    moved = {"a": [scale * value + offset for value in values], "b": values[::-1]}
    weights = {"a": 1.0, "b": 0.5}
    if (spread := std(values)) and spread > 1e-3:
        assert sum_normalised(moved, weights, epsilon=0) == pytest.approx(
            sum_normalised(columns, weights, epsilon=0), abs=1e-6
        )


def test_an_objective_without_spread_gives_nothing() -> None:
    assert sum_normalised({"a": [5.0, 5.0], "b": [0.0, 1.0]}, {"a": 9.0, "b": 1.0}, epsilon=0) == pytest.approx(
        [-0.707107, 0.707107], abs=1e-6
    )


def test_whitening_over_the_batch_keeps_its_degrees_of_freedom() -> None:
    centred_groups = [[0.5, -0.5], [0.0, 0.0]]
    assert whiten(centred_groups, ddof=0, epsilon=0)[0] == pytest.approx([1.414214, -1.414214], abs=1e-6)
    assert whiten(centred_groups, ddof=1, epsilon=0)[0] == pytest.approx([1.224745, -1.224745], abs=1e-6)
    assert whiten([[2.0], [2.0]]) == [[0.0], [0.0]]


def test_statistics_leave_missing_scores_out() -> None:
    assert success_rate([1.0, None, 0.0, 1.0]) == pytest.approx(2 / 3)
    assert success_rate([None]) is None
    assert std([None, 1.0]) is None
    assert not zero_variance([None])
