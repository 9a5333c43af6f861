"""``jepo`` and ``nover`` in a recipe: what a group's likelihoods become, invalid and missing members included."""

from __future__ import annotations

import math

import pytest

from tests.rewards.situation import INVALID, OURS, members, recipe, scored, settled, values
from trueward.wire.verdict import Verdict


def group(shaping: object, verdicts: list[Verdict]) -> list[float | None]:
    made = recipe(terms=[{"name": "math", "verifier": "math"}], shaping=[shaping], range=[-60, 60])
    return values(settled(made, members(made, [{"math": verdict} for verdict in verdicts])))


def test_jepo_makes_log_probabilities_what_each_adds_to_the_bound() -> None:
    found = group("jepo", [scored(math.log(0.5)), scored(math.log(0.1)), OURS])
    assert found == [pytest.approx(1.098612, abs=1e-6), pytest.approx(-0.510826, abs=1e-6), None]


def test_an_invalid_response_is_no_certain_one() -> None:
    first, second, third = group("jepo", [scored(math.log(0.5)), scored(math.log(0.4)), INVALID])
    assert first is not None
    assert second is not None
    assert third is not None
    assert third < second < first


def test_nover_ranks_the_group_and_pays_brevity() -> None:
    found = group(
        "nover",
        [
            scored(1 / 1.35, perplexity=1.35, reasoning_tokens=10),
            scored(1 / 1.5, perplexity=1.5, reasoning_tokens=20),
            scored(1 / 1.2, perplexity=1.2, reasoning_tokens=30),
            OURS,
        ],
    )
    assert found == [pytest.approx(2 / 3 + 1 / 2), pytest.approx(1 / 3), pytest.approx(1.0), None]


def test_nover_leaves_invalid_responses_out_of_the_ranks() -> None:
    valid = scored(1 / 1.2, perplexity=1.2, reasoning_tokens=30)
    first, second = group({"nover": {}}, [valid, INVALID])
    assert first == 1.0
    assert second == 0.0


def test_nover_without_what_it_ranks_by_is_no_reward() -> None:
    assert group("nover", [scored(0.5), scored(0.4)]) == [None, None]
