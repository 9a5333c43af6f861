"""What stands in for a missing reward where a trainer can take numbers only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.trainers.standing_in import OUTCOMES, Mean, Means, flat
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome


def test_nothing_known_is_zero() -> None:
    assert Means().numbers("reward", [None], ["p"]) == [0.0]


def test_the_group_of_the_call_comes_before_everything_else() -> None:
    means = Means()
    assert means.numbers("reward", [1.0, 0.0, 1.0], ["p", "q", "q"]) == [1.0, 0.0, 1.0]
    assert means.numbers("reward", [None, None, 0.5], ["p", "q", "q"]) == [0.625, 0.5, 0.5]


def test_members_of_a_group_without_any_reward_get_the_same_number() -> None:
    means = Means()
    means.numbers("reward", [1.0, 0.0, 0.0], ["p"] * 3)
    assert len(set(means.numbers("reward", [None] * 8 + [1.0], ["q"] * 8 + ["r"]))) == 2


def test_what_comes_in_one_call_has_an_advantage_of_zero() -> None:
    numbers = Means().numbers("reward", [None, 1.0, 0.0, 0.0], ["p"] * 4)
    assert numbers[0] - sum(numbers) / 4 == pytest.approx(0.0, abs=1e-4)


def test_a_stand_in_is_no_reward_of_its_own() -> None:
    means = Means()
    means.numbers("reward", [1.0], ["p"])
    for _ in range(5):
        means.numbers("reward", [None], ["q"])
    means.rewards([Reward(outcome=Outcome.ERROR, components={}, stand_in=9.0)], ["q"])
    assert means.numbers("reward", [0.0, None], ["p", "q"]) == [0.0, 0.5]


def test_what_the_service_found_comes_first() -> None:
    rewards = [
        Reward(outcome=Outcome.CORRECT, reward=1.0, components={}),
        Reward(outcome=Outcome.ERROR, components={}, stand_in=0.25),
    ]
    assert Means().rewards(rewards, ["p", "p"]) == [1.0, 0.25]


def test_series_are_apart() -> None:
    means = Means()
    means.numbers("acc", [1.0], ["p"])
    assert means.numbers("reward", [None], ["p"]) == [0.0]


@given(st.floats(-1e6, 1e6), st.integers(1, 64))
def test_a_group_of_stand_ins_has_no_spread_in_single_precision(total: float, count: int) -> None:
    value = Mean(total, count).value
    assert value == pytest.approx(total / count, rel=2**-12)
    group = np.full(7, value, dtype=np.float32)
    mean = np.float32(0.0)
    for one in group:  # one after the other, as no library would do it better
        mean = np.float32(mean + one)
    assert mean / np.float32(7) == group[0]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_the_keys_are_the_same_for_every_outcome(outcome: Outcome) -> None:
    reward = Reward(outcome=outcome, reward=None if outcome.missing else 0.5, components={"math": None, "length": 0.1})
    numbers = flat(reward)
    assert [*numbers] == [
        "acc",
        "trueward_outcome",
        "trueward_missing",
        "trueward_component_math",
        "trueward_component_length",
    ]
    assert numbers["trueward_missing"] == outcome.missing
    assert numbers["acc"] == (None if outcome.missing else float(outcome is Outcome.CORRECT))


def test_outcomes_keep_their_numbers() -> None:
    assert [outcome.value for outcome in OUTCOMES] == [
        "correct", "incorrect", "partial", "scored", "invalid", "abstained", "timeout", "error",
    ]  # fmt: skip
    assert [*OUTCOMES.values()] == list(range(8))
