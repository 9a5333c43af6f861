"""What stands in for a missing reward where a trainer can take numbers only."""

from __future__ import annotations

import pickle

import pytest

from trueward.trainers import standing_in
from trueward.trainers.standing_in import OUTCOMES, Means, flat
from trueward.types import Outcome, Reward


def test_nothing_known_is_zero() -> None:
    assert Means().numbers("reward", [None], ["p"]) == [0.0]


def test_the_group_comes_before_everything_else() -> None:
    means = Means()
    assert means.numbers("reward", [1.0, 0.0, 1.0], ["p", "q", "q"]) == [1.0, 0.0, 1.0]
    assert means.numbers("reward", [None, None, None], ["p", "q", "new"]) == [1.0, 0.5, pytest.approx(2 / 3)]


def test_what_comes_in_one_call_counts_first_so_that_the_advantage_is_zero() -> None:
    numbers = Means().numbers("reward", [None, 1.0, 0.0, 0.0], ["p"] * 4)
    assert numbers[0] == pytest.approx(1 / 3)
    assert numbers[0] - sum(numbers) / 4 == pytest.approx(0.0)


def test_a_stand_in_is_no_reward_of_its_own() -> None:
    means = Means()
    means.numbers("reward", [1.0], ["p"])
    for _ in range(5):
        means.numbers("reward", [None], ["p"])
    assert means.numbers("reward", [0.0, None], ["p", "p"]) == [0.0, 0.5]


def test_series_are_apart() -> None:
    means = Means()
    means.numbers("acc", [1.0], ["p"])
    assert means.numbers("reward", [None], ["p"]) == [0.0]


def test_a_copy_begins_anew() -> None:
    means = Means()
    means.numbers("reward", [1.0], ["p"])
    assert pickle.loads(pickle.dumps(means)).numbers("reward", [None], ["p"]) == [0.0]


def test_old_groups_are_forgotten_and_the_mean_of_all_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing_in, "_KEPT", 3)
    means = Means()
    for place in range(10):
        means.numbers("reward", [1.0], [place])
    means.numbers("reward", [0.0], [10])
    assert means.numbers("reward", [None], [0]) == [pytest.approx(10 / 11)]


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
