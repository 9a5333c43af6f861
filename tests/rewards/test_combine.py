"""Combinations: worked numbers, and what no recipe may break."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.combine.arithmetic import Max, Min, Product, SoftAnd, Sum, WeightedMean
from rewards.combine.base import Part
from rewards.combine.base_and_bonus import BaseAndBonus, Penalised, boost_base, conditional, mix_base
from rewards.combine.lexicographic import Lexicographic, encode_order
from rewards.combine.objectives import Objectives

shares = st.floats(0, 1)
TWO = {"a": Part(0.5, 2.0), "b": Part(-1.0, 1.0)}


def test_arithmetic() -> None:
    assert Sum(method="sum").combine(TWO) == 0.0
    assert WeightedMean(method="weighted_mean").combine({"a": Part(1, 3), "b": Part(0, 1)}) == 0.75
    assert WeightedMean(method="weighted_mean").combine({"a": Part(1, 0)}) == 0
    assert Product(method="product").combine(TWO) == -1.0
    assert (Min(method="min").combine(TWO), Max(method="max").combine(TWO)) == (-1.0, 1.0)


def test_soft_and_is_ruled_by_the_worst() -> None:
    combine = SoftAnd(method="soft_and")
    assert combine.combine({"a": Part(0.5, 1), "b": Part(-1, 1)}) == pytest.approx(-1.787339, abs=1e-6)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=6))
def test_soft_and_is_below_each_of_its_terms(values: list[float]) -> None:
    combine = SoftAnd(method="soft_and")
    total = combine.combine({str(index): Part(value, 1) for index, value in enumerate(values)})
    assert all(total <= combine.combine({"a": Part(value, 1)}) for value in values)
    assert total <= 0


def test_base_and_bonus() -> None:
    assert mix_base(0.5, 0.8, 0.6) == pytest.approx(0.46)
    assert boost_base(0.5, 0.8, 1.0) == pytest.approx(0.9)
    assert conditional(0.5, 0.8) == pytest.approx(0.4)
    parts = {"base": Part(0.5, 1), "x": Part(0.8, 2), "y": Part(0.8, 1)}
    assert BaseAndBonus(method="base_and_bonus", base="base", form="mix", floor=0.6).combine(parts) == pytest.approx(
        0.46
    )
    assert BaseAndBonus(method="base_and_bonus", base="base").combine({"base": Part(0.5, 1)}) == 0.5


@given(shares, shares, st.sampled_from(["boost", "mix", "product"]))
def test_no_bonus_rescues_a_base_of_nothing(bonus: float, base: float, form: str) -> None:
    combine = BaseAndBonus.model_validate({"method": "base_and_bonus", "base": "a", "form": form})
    assert combine.combine({"a": Part(0.0, 1), "b": Part(bonus, 1)}) == 0
    assert combine.combine({"a": Part(base, 1), "b": Part(bonus, 1)}) <= 2 * base


@given(st.floats(-1, 1), st.floats(-3, 3))
def test_a_penalty_never_pays(base: float, penalty: float) -> None:
    worth = Penalised(method="penalised", base="a").combine({"a": Part(base, 1), "b": Part(penalty, 1)})
    assert worth <= base
    assert worth >= min(base, 0)


@given(st.lists(shares, min_size=1, max_size=4), st.lists(shares, min_size=1, max_size=4))
def test_the_first_term_decides(one: list[float], other: list[float]) -> None:
    other = (other + one)[: len(one)]
    steps = [[round(value * 100) for value in values] for values in (one, other)]
    numbers = encode_order(one, 0.01), encode_order(other, 0.01)
    assert (numbers[0] < numbers[1]) == (steps[0] < steps[1])
    assert all(0 <= number <= 1 for number in numbers)
    parts = {str(index): Part(value, 1) for index, value in enumerate(one)}
    assert Lexicographic(method="lexicographic").combine(parts) == numbers[0]


def test_objectives_are_normalised_within_the_group() -> None:
    group = [{"a": Part(a, 1), "b": Part(b, 1)} for a, b in zip([1, 0, 0, 1], [10, 20, 30, 40], strict=True)]
    sums = Objectives(method="mo_grpo", epsilon=0).combine_group([*group, None])
    assert sums[:4] == pytest.approx([-0.295870, -1.253324, -0.478727, 2.027920], abs=1e-6)
    assert sums[4] is None
