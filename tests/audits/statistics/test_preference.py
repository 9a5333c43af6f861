"""Benchmarks of reward models, judges and process models."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.first_error import (
    first_below,
    first_error,
)
from audits.statistics.preference import (
    best_of_credit,
    pairs,
    place_among,
    prefers_own,
    style_grid,
    two_orders,
)
from audits.statistics.ties import TiedQuestion, ties_score


def test_pairs_with_ties() -> None:
    found = pairs([3, 2, 1, 5], [1, 2, 2, 4])
    assert found == (2, 1, 1)
    assert found.accuracy_with_ties == 0.625
    with pytest.raises(ValueError, match="chosen holds 1 missing"):
        pairs([math.nan], [1])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_swapping_the_sides_gives_the_complement(rows: list[tuple[int, int]]) -> None:
    chosen, rejected = [one for one, _ in rows], [other for _, other in rows]
    straight, swapped = pairs(chosen, rejected).accuracy_with_ties, pairs(rejected, chosen).accuracy_with_ties
    assert straight is not None
    assert swapped is not None
    assert straight + swapped == pytest.approx(1)


@pytest.mark.parametrize(
    ("chosen", "rejected", "credit", "rank"),
    [(5, [1, 2, 3], 1.0, 1), (3, [1, 3, 3], 1 / 3, 3), (2, [1, 2, 3], 0.0, 3), (1, [1, 1, 1], 0.25, 4)],
)
def test_best_of_four(chosen: float, rejected: list[float], credit: float, rank: int) -> None:
    assert best_of_credit(chosen, rejected) == pytest.approx(credit)
    found = place_among(chosen, rejected)
    assert (found.rank, found.first, found.reciprocal) == (rank, rank == 1, 1 / rank)


def test_a_constant_reward_earns_what_chance_would() -> None:
    assert np.mean([best_of_credit(0.5, [0.5] * 3) for _ in range(10)]) == 0.25
    assert not place_among(0.5, [0.5] * 9).first
    with pytest.raises(ValueError, match="at least one rejected"):
        best_of_credit(1, [])
    with pytest.raises(ValueError):
        place_among(math.nan, [1])


def test_style_grid_by_hand() -> None:
    # plain, listed, ornate: the chosen answer wins unless the rejected one is two styles fancier
    found = style_grid([[1, 2, 3]], [[0, 1, 2]])
    assert found.accuracy.tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert (found.easy, found.normal, found.hard, found.mean) == pytest.approx((1, 1, 0, 6 / 9))
    half = style_grid([[1, 2, 3], [9, 9, 9]], [[0, 1, 2], [0, 0, 0]])
    assert (half.easy, half.normal, half.hard) == (1, 1, 0.5)
    for rows in ([], [[1.0]], [[math.nan, 1.0]]):
        with pytest.raises(ValueError):
            style_grid(rows, rows)


@pytest.mark.parametrize(
    ("first", "second", "right"), [(1, 1, True), (1, 0, True), (1, -1, False), (0, 0, False), (-1, -1, False)]
)
def test_two_orders(first: int, second: int, right: bool) -> None:
    assert two_orders(first, second) is right
    assert two_orders(second, first) is right


def test_two_orders_take_verdicts_only() -> None:
    with pytest.raises(ValueError):
        two_orders(2, 0)


def test_each_prompt_must_prefer_its_own_answer() -> None:
    assert prefers_own(own=(2, 3), other=(1, 2))
    assert not prefers_own(own=(2, 1), other=(1, 2))
    assert not prefers_own(own=(1, 3), other=(1, 2))


def test_ties_by_hand() -> None:
    wide = TiedQuestion([5, 4], [1], [6], [2])  # spread 1, gaps 3 and 4
    assert ties_score([wide]) == pytest.approx(1 + 0.01 * math.tanh(2))
    narrow = TiedQuestion([5, 2], [1], [6], [2])  # spread 3, gaps 1 and 4
    assert ties_score([narrow]) == pytest.approx(0.6 + 0.01 * math.tanh(1 / 3 - 1))
    mixed = TiedQuestion([5, 4], [3.5], [1], [2])  # spread 1, gaps 0.5 and -1
    assert ties_score([mixed]) == pytest.approx(0.3 + 0.01 * math.tanh(-2))
    assert ties_score([wide, mixed]) == pytest.approx((ties_score([wide]) + ties_score([mixed])) / 2)


def test_ties_of_a_constant_reward_earn_nothing() -> None:
    assert ties_score([TiedQuestion([1, 1], [1], [1], [1])]) == 0
    assert ties_score([TiedQuestion([2, 2], [1], [2], [1])]) == pytest.approx(1.01)
    for questions in ([], [TiedQuestion([1], [], [1], [1])]):
        with pytest.raises(ValueError):
            ties_score(questions)


def test_first_error_by_hand() -> None:
    found = first_error([0, 2, 3, -1, -1], [0, 2, None, -1, 1])
    assert (found.erroneous.rate, found.flawless.rate) == (2 / 3, 0.5)
    assert found.f1 == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))


def test_first_error_worked_number() -> None:
    labels = [1] * 10 + [-1] * 10
    predicted = [1] * 6 + [2] * 4 + [-1] * 9 + [0]
    assert first_error(labels, predicted).f1 == pytest.approx(0.72)
    assert first_error(labels, [5] * 20).f1 == 0.0
    assert first_error([1, 1], [1, 1]).f1 is None
    assert first_error([], []).f1 is None


def test_unreadable_predictions_are_wrong_even_where_there_is_no_error() -> None:
    assert first_error([-1, 0], [None, None]).f1 == 0.0
    with pytest.raises(ValueError, match="one prediction per solution"):
        first_error([0], [])
    with pytest.raises(ValueError, match="first wrong step"):
        first_error([-2], [0])


def test_predictions_of_process_models() -> None:
    assert first_below([0.9, 0.5, 0.4, 0.1]) == 2
    assert first_below([0.9, 0.5]) == first_below([]) == -1
