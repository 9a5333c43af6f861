"""The function that TRL calls: what it sends, what it gives back, and what it refuses to invent."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService, Fault
from trueward.errors import DeadlineExceeded, InvalidRequest, Unavailable, UnknownRecipe
from trueward.trainers.trl import RewardFunction, async_reward_function, reward_function

PROMPTS = ["1+1?", "1+1?", "2+2?"]
COMPLETIONS = ["2", "3", "4"]


@pytest.fixture
def make(url: str) -> Iterator[Callable[..., RewardFunction]]:
    """Makes reward functions, and closes them at the end."""
    made: list[RewardFunction] = []

    def make(**options: Any) -> RewardFunction:
        made.append(reward_function(url, **{"recipe": "math", **options}))
        return made[-1]

    yield make
    for function in made:
        function.close()


@pytest.fixture
def reward(make: Callable[..., RewardFunction]) -> RewardFunction:
    return make(run="r1")


class Trainer:
    """The parts of TRL's trainer that reach a reward function."""

    def __init__(self, *, training: bool = True) -> None:
        self.model = SimpleNamespace(training=training)
        self.metrics: dict[str, float] = {}
        self.extra: dict[str, list[str | float | None]] = {}

    def log_metric(self, name: str, value: float) -> None:
        self.metrics[name] = value

    def log_extra(self, column: str, values: list[str | float | None]) -> None:
        self.extra[column] = values

    def columns(self) -> dict[str, Any]:
        state = SimpleNamespace(global_step=7)
        return {"trainer_state": state, "log_metric": self.log_metric, "log_extra": self.log_extra}


def test_one_reward_a_completion_in_order(reward: RewardFunction) -> None:
    assert reward(prompts=PROMPTS, completions=COMPLETIONS, reference=["2", "2", "4"]) == [1.0, 0.0, 1.0]


def test_a_missing_reward_is_none_and_is_logged(reward: RewardFunction) -> None:
    trainer = Trainer()
    rewards = reward(prompts=PROMPTS, completions=COMPLETIONS, reference=["2", None, "5"], **trainer.columns())
    assert rewards == [1.0, None, 0.0]
    assert trainer.metrics == {"trueward/missing": pytest.approx(1 / 3), "trueward/components/exact": 0.5}
    assert trainer.extra == {
        "trueward_outcome": ["correct", "abstained", "incorrect"],
        "trueward_component_exact": [1.0, None, 0.0],
    }


def test_what_is_sent(reward: RewardFunction, service: FakeService) -> None:
    chat = [{"role": "user", "content": "1+1?"}]
    said = [{"role": "assistant", "content": "2"}]
    reward(
        prompts=[chat],
        completions=[said],
        completion_ids=[[5, 6, 7]],
        reference=["2"],
        hint=["think"],
        data_source=["gsm"],
        metadata=[{"level": 3}],
        difficulty=["hard"],
        **Trainer().columns(),
    )
    body = service.received[0].body
    assert 100 < body.pop("deadline_s") < 120
    assert body == {
        "recipe": "math",
        "run": "r1",
        "step": 7,
        "split": "train",
        "samples": [
            {
                "id": "0",
                "prompt": chat,
                "response": said,
                "reference": "2",
                "tokens": 3,
                "hint": "think",
                "data_source": "gsm",
                "metadata": {"level": 3},
            }
        ],
    }


def test_an_evaluation_is_marked_as_one(reward: RewardFunction, service: FakeService) -> None:
    reward(prompts=["a"], completions=["a"], reference=["a"], **Trainer(training=False).columns())
    assert service.received[0].body["split"] == "eval"


def test_a_missing_reference_column_names_those_at_hand(reward: RewardFunction, service: FakeService) -> None:
    with pytest.raises(InvalidRequest, match=r"no column 'reference'; columns at hand: answer, level") as refusal:
        reward(prompts=["a"], completions=["a"], level=[1], answer=["a"], **Trainer().columns())
    assert "reference_column=" in refusal.value.detail
    assert service.received == []


def test_the_reference_column_can_be_named_or_left_out(make: Callable[..., RewardFunction]) -> None:
    named = make(reference_column="answer")
    assert named(prompts=["a"], completions=["a"], answer=["a"]) == [1.0]
    without = make(reference_column=None)
    assert without(prompts=["a"], completions=["a"]) == [None]


def test_an_outage_is_waited_for_and_then_raised(make: Callable[..., RewardFunction], service: FakeService) -> None:
    reward = make(deadline_s=0.5)
    service.faults = [Fault.of(Unavailable("down"))] * 2
    assert reward(prompts=["a"], completions=["a"], reference=["a"]) == [1.0]
    service.faults = [Fault.of(Unavailable("down"))] * 10_000
    with pytest.raises(DeadlineExceeded, match="down"):
        reward(prompts=["a"], completions=["a"], reference=["a"])


def test_a_refusal_is_raised_at_once(make: Callable[..., RewardFunction], service: FakeService) -> None:
    with pytest.raises(UnknownRecipe):
        make(recipe="nope")(prompts=["a"], completions=["a"], reference=["a"])
    assert len(service.received) == 1


def test_it_can_be_pickled_before_and_after_use(reward: RewardFunction) -> None:
    reward(prompts=["a"], completions=["a"], reference=["a"])
    copy = pickle.loads(pickle.dumps(reward))
    assert copy(prompts=["a", "b"], completions=["a", "c"], reference=["a", "b"]) == [1.0, 0.0]
    copy.close()
    assert (copy.run, copy.__name__) == ("r1", "trueward_math")


def test_it_opens_again_after_it_was_closed(reward: RewardFunction) -> None:
    for _ in range(2):
        assert reward(prompts=["a"], completions=["a"], reference=["a"]) == [1.0]
        reward.close()


def test_every_trainer_run_has_a_name_of_its_own(url: str) -> None:
    first, second = (reward_function(url, recipe="math") for _ in range(2))
    assert first.run != second.run
    assert pickle.loads(pickle.dumps(first)).run == first.run


def test_an_inline_recipe_has_a_name_too(url: str) -> None:
    assert reward_function(url, recipe={"name": "mine", "terms": []}).__name__ == "trueward_mine"


async def test_the_async_form_does_the_same_and_is_seen_as_one(url: str, service: FakeService) -> None:
    reward = pickle.loads(pickle.dumps(async_reward_function(url, recipe="math", run="r1")))
    assert inspect.iscoroutinefunction(reward.__call__)
    trainer = Trainer()
    rewards = await reward(prompts=PROMPTS, completions=COMPLETIONS, reference=["2", None, "5"], **trainer.columns())
    await reward.aclose()
    assert rewards == [1.0, None, 0.0]
    assert trainer.metrics["trueward/missing"] == pytest.approx(1 / 3)
    assert (service.received[0].body["step"], reward.__name__) == (7, "trueward_math")


def test_it_is_made_without_a_service_and_without_the_trainer() -> None:
    assert callable(reward_function("http://127.0.0.1:1", recipe="math"))
