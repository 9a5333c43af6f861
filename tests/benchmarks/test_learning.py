"""The benchmark of learning runs, and its toy tasks are what they say; that it learns is for its long form to show."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import torch

from benchmarks import digits
from benchmarks.learning import learn, settings
from benchmarks.servers import Server
from trueward.wire.sample import Sample
from trueward_trainer.config import TrainConfig
from trueward_trainer.policy import Policy
from trueward_trainer.rollout import Sampler
from trueward_trainer.streams import generator

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("task", [digits.SORTING, digits.ADDING])
def test_held_out_prompts_are_never_taught(task: digits.Task) -> None:
    taught = {prompt for prompt, _ in islice(digits.pairs(task, 1, held_out=False), 5_000)}
    held_out = {prompt for prompt, _ in islice(digits.pairs(task, 1, held_out=True), 500)}
    assert not taught & held_out
    assert {len(prompt) for prompt in taught | held_out} == {len(next(iter(taught)))}


def test_answers_are_right() -> None:
    for prompt, answer in digits.some(digits.SORTING, 1, False, 50):
        assert answer == "".join(sorted(prompt[:-1]))
    for prompt, answer in digits.some(digits.ADDING, 1, False, 50):
        one, other = prompt[:-1].split("+")
        assert int(answer[::-1]) == int(one[::-1]) + int(other[::-1])


def test_a_warm_up_that_misses_its_range_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="over the range"):
        digits.warmed_up(digits.SORTING, tmp_path, 1, layers=1, hidden=64, least=0.02, most=0.0)


@pytest.mark.benchmark
def test_it_learns_from_a_service_for_a_step(server: Server, tmp_path: Path) -> None:
    found = learn(digits.SORTING, 1, 1, server.url, tmp_path / "sorting")
    assert 0.2 <= found.warm_up_greedy <= 0.3
    assert found.curve[0].greedy == pytest.approx(found.warm_up_greedy, abs=0.01)
    assert [point.step for point in found.curve] == [0, 1]
    said = settings(digits.SORTING, 1, 1, server.url, tmp_path / "sorting", tmp_path / "sorting/warm")
    policy = Policy(TrainConfig.model_validate(said))
    sampler = Sampler(policy.model, policy.tokenizer, chat=False, max_new_tokens=5)
    problems = digits.some(digits.SORTING, 1, True, 64)
    responses = sampler.sample([Sample(prompt=one) for one, _ in problems], 1, 0.0, generator(torch.device("cpu"), 1))
    right = [one.text == answer for one, (_, answer) in zip(responses, problems, strict=True)]
    assert sum(right) / 64 == digits.greedy(policy.model, policy.tokenizer, problems)
