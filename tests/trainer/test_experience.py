"""What a step learns from: order and groups, dynamic sampling, the coin of the control."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainer.toys import Price, Prices, config, experience
from trueward.wire.sample import Sample, Split
from trueward_trainer.config import TrainConfig
from trueward_trainer.experience import Collector, Experience, draw_rows, toss_rewards
from trueward_trainer.policy import Policy
from trueward_trainer.prompts import read_prompts
from trueward_trainer.rollout import Response, Sampler
from trueward_trainer.scoring import Judged
from trueward_trainer.streams import generator


def collect(said: TrainConfig, price: Price) -> tuple[Experience, Prices]:
    policy, prices = Policy(said), Prices(price)
    sampler = Sampler(policy.model, policy.tokenizer, chat=False, max_new_tokens=3)
    collector = Collector(said, policy, read_prompts(said.prompts), sampler, prices)  # type: ignore[arg-type]
    return collector.collect(0, 0, generator(torch.device("cpu"), 1)), prices


def resampling(folder: Path) -> TrainConfig:
    said = config(folder)
    return said.model_copy(update={"rollout": said.rollout.model_copy(update={"resample": 2})})


def test_each_response_is_scored_with_its_own_prompt_and_group(tmp_path: Path) -> None:
    seen, prices = collect(config(tmp_path), lambda sample: 0.0)
    assert seen.position == 4
    assert [len(group.responses) for group in seen.groups] == [4] * 4
    said = [(sample.prompt, sample.reference, sample.response, sample.tokens) for _, sample in prices.asked]
    assert said == [
        (group.prompt.prompt, group.prompt.reference, response.text, len(response.tokens))
        for group in seen.groups
        for response in group.responses
    ]
    assert len({sample.group for _, sample in prices.asked}) == 4


class Eager(Future[Judged]):
    """Rewards that nobody may wait for before everything was sampled."""

    def __init__(self, rewards: Judged, asked: list[object], wanted: int) -> None:
        super().__init__()
        self.set_result(rewards)
        self._asked = asked
        self._wanted = wanted

    def result(self, timeout: float | None = None) -> Judged:
        assert len(self._asked) == self._wanted
        return super().result(timeout)


class Watched(Prices):
    def ask(
        self, prompts: Sequence[Sample], responses: Sequence[Response], names: Sequence[str], step: int, split: Split
    ) -> Future[Judged]:
        return Eager(super().ask(prompts, responses, names, step, split).result(), self.asked, 16)  # type: ignore[arg-type]


def test_the_next_prompts_are_sampled_while_the_last_are_scored(tmp_path: Path) -> None:
    said = config(tmp_path)
    policy, prices = Policy(said), Watched(lambda sample: 0.0)
    sampler = Sampler(policy.model, policy.tokenizer, chat=False, max_new_tokens=3)
    collector = Collector(said, policy, read_prompts(said.prompts), sampler, prices)  # type: ignore[arg-type]
    assert len(collector.collect(0, 0, generator(torch.device("cpu"), 1)).rewards) == 16


def test_groups_that_teach_nothing_make_room(tmp_path: Path) -> None:
    """Only prompts that end with 1 give mixed groups: 4 of the 12."""
    sizes: dict[str | None, int] = {}

    def price(sample: Sample) -> float:
        place = sizes[sample.group] = sizes.get(sample.group, -1) + 1
        return float(place % 2) if sample.prompt_text.endswith("1=") else 0.0

    seen, _ = collect(resampling(tmp_path), price)
    assert all(group.prompt.prompt_text.endswith("1=") for group in seen.groups if group.teaches)
    assert sum(group.teaches for group in seen.groups) == 4
    assert len(seen.groups) == 4
    assert seen.drawn == seen.position == 12


def test_draws_that_are_used_up_leave_a_whole_step(tmp_path: Path) -> None:
    seen, _ = collect(resampling(tmp_path), lambda sample: 1.0)
    assert (len(seen.groups), seen.drawn, seen.position) == (4, 12, 12)


def test_missing_rewards_do_not_make_a_group_teach(tmp_path: Path) -> None:
    place = iter(range(1_000))
    seen, _ = collect(config(tmp_path), lambda sample: 1.0 if next(place) % 2 else None)
    assert not any(group.teaches for group in seen.groups)


def test_the_coin_is_fair_and_leaves_missing_rewards_missing() -> None:
    rewards = [None if place % 10 == 0 else 1.0 for place in range(4_000)]
    coins = toss_rewards(rewards, "7/1")
    assert [coin is None for coin in coins] == [reward is None for reward in rewards]
    there = [coin for coin in coins if coin is not None]
    assert set(there) == {0.0, 1.0}
    assert abs(sum(there) / len(there) - 0.5) < 0.05
    assert coins == toss_rewards(rewards, "7/1") != toss_rewards(rewards, "7/2")


def test_responses_are_drawn_again_within_their_group() -> None:
    one, two, three = experience([[1.0, 0.0], [1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]).groups
    groups = [one, replace(two, draw=[0.7, 0.2, 0.0, 0.1]), replace(three, draw=[0.0, 0.0, 0.0])]
    found = [draw_rows(groups, f"7/{step}") or [] for step in range(500)]
    assert all(rows[:2] == [0, 1] and rows[6:] == [6, 7, 8] for rows in found), "groups without probabilities stay"
    places = [row - 2 for rows in found for row in rows[2:6]]
    shares = [places.count(place) / len(places) for place in range(4)]
    assert shares == pytest.approx([0.7, 0.2, 0.0, 0.1], abs=0.04)
    assert found[0] == draw_rows(groups, "7/0"), "a training that goes on draws the same"
    assert draw_rows([one, groups[2]], "7/0") is None


def test_the_draws_that_the_service_tells_are_those_of_the_group(tmp_path: Path) -> None:
    said = config(tmp_path)
    policy, prices = Policy(said), Prices(lambda sample: 0.0)
    prices.draws = {"0-0-1": [0.1, 0.2, 0.3, 0.4]}
    sampler = Sampler(policy.model, policy.tokenizer, chat=False, max_new_tokens=3)
    collector = Collector(said, policy, read_prompts(said.prompts), sampler, prices)  # type: ignore[arg-type]
    seen = collector.collect(0, 0, generator(torch.device("cpu"), 1))
    assert [group.draw for group in seen.groups] == [None, [0.1, 0.2, 0.3, 0.4], None, None]
