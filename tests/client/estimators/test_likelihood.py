"""JEPO and NOVER on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.estimators.likelihood import jepo_advantages, jepo_answer_weights, nover_rewards

logs = st.lists(st.one_of(st.none(), st.floats(-40, 0)), min_size=1, max_size=8)


def test_jepo_pays_what_a_response_adds_to_the_bound() -> None:
    group = [math.log(0.5), math.log(0.1)]
    assert jepo_advantages(group) == pytest.approx([1.098612, -0.510826], abs=1e-6)
    assert jepo_answer_weights(group) == pytest.approx([0.833333, 0.166667], abs=1e-6)


def test_jepo_of_one_is_nothing_and_missing_scores_take_no_part() -> None:
    assert jepo_advantages([math.log(0.5)]) == [0.0]
    assert jepo_advantages([None, math.log(0.5), None]) == [0.0, 0.0, 0.0]
    group = [math.log(0.5), None, math.log(0.1)]
    assert jepo_advantages(group)[::2] == pytest.approx(jepo_advantages([math.log(0.5), math.log(0.1)]))


def test_a_response_that_cannot_say_the_reference_is_finite_and_below_the_others() -> None:
    advantages = jepo_advantages([-math.inf, math.log(0.5), math.log(0.4)])
    assert all(math.isfinite(one) for one in advantages)
    assert advantages[0] == min(advantages)
    assert jepo_advantages([-math.inf, -math.inf]) == [0.0, 0.0]
    assert jepo_answer_weights([-math.inf, math.log(0.5)]) == [0.0, 1.0]


@given(logs)
def test_weights_are_a_distribution_over_those_there(group: list[float | None]) -> None:
    weights = jepo_answer_weights(group)
    assert all(weight == 0 for weight, one in zip(weights, group, strict=True) if one is None)
    assert math.fsum(weights) == pytest.approx(1.0 if any(one is not None for one in group) else 0.0)


def test_nover_ranks_by_perplexity_and_pays_who_is_shorter_and_better() -> None:
    same = [10.0] * 4
    assert nover_rewards([1.35, 1.5, None, 1.2], same) == pytest.approx([2 / 3, 1 / 3, 0, 1])
    assert nover_rewards([1.35, 1.5, None, 1.2], [10, 20, 5, 30]) == pytest.approx([2 / 3 + 1 / 2, 1 / 3, 0, 1])
    assert nover_rewards([2.0], [10]) == [1.0]
    assert nover_rewards([None], [0]) == [0.0]
