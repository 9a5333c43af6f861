"""pass@k is unbiased, missing rewards count for nothing, and the service is told that it is an evaluation."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import torch

from tests.trainer.toys import Price, Prices, config
from trueward.estimators.pass_at_k import pass_at_k
from trueward_trainer.config import Evaluation, Source
from trueward_trainer.evaluation import Accuracies, Evaluator
from trueward_trainer.policy import Policy
from trueward_trainer.prompts import read_prompts
from trueward_trainer.rollout import Sampler
from trueward_trainer.streams import generator


@pytest.mark.parametrize(("judged", "right", "k"), [(4, 1, 2), (5, 2, 3), (6, 0, 6), (3, 3, 1), (8, 5, 4)])
def test_pass_at_k_is_the_share_of_subsets_with_a_right_one(judged: int, right: int, k: int) -> None:
    subsets = list(combinations([True] * right + [False] * (judged - right), k))
    assert pass_at_k(judged, right, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_pass_at_k_of_fewer_responses_is_refused() -> None:
    with pytest.raises(ValueError, match="k must be from 1"):
        pass_at_k(2, 1, 3)


def evaluated(folder: Path, price: Price) -> tuple[Accuracies, Prices]:
    said, prices = config(folder), Prices(price)
    policy = Policy(said)
    sampler = Sampler(policy.model, policy.tokenizer, chat=False, max_new_tokens=3)
    plan = Evaluation(prompts=Source(file=folder / "prompts.jsonl"), samples=4, k=2)
    prompts = read_prompts(plan.prompts)[:3]
    evaluator = Evaluator(plan, said.rollout, prompts, sampler, prices)  # type: ignore[arg-type]
    return evaluator.run(0, generator(torch.device("cpu"), 1)), prices


def test_greedy_and_samples(tmp_path: Path) -> None:
    """Of each prompt the greedy response is wrong, and of four samples one is right."""
    place = iter([*[0.0] * 3, *[1.0, 0.0, 0.0, 0.0] * 3])
    found, prices = evaluated(tmp_path, lambda sample: next(place))
    assert found.metrics["eval/greedy"] == 0.0
    assert found.metrics["eval/pass@1"] == pytest.approx(0.25)
    assert found.metrics["eval/pass@2"] == pytest.approx(0.5)
    assert {split for split, _ in prices.asked} == {"eval"}
    assert [prices.asked[place][1].response for place in range(3)] == [one.text for one in found.responses]
    assert len({sample.group for _, sample in prices.asked}) == 6


def test_missing_rewards_count_for_nothing(tmp_path: Path) -> None:
    place = iter([None, 1.0, 1.0, *[None, None, None, 1.0], *[0.0, None, 1.0, None], *[None] * 4])
    found, _ = evaluated(tmp_path, lambda sample: next(place))
    assert found.metrics["eval/greedy"] == 1.0
    assert found.metrics["eval/pass@1"] == pytest.approx(0.75)
    assert found.metrics["eval/pass@2"] == pytest.approx(1.0)
    assert found.metrics["eval/missing"] == pytest.approx(10 / 15)


def test_where_nothing_was_judged_nothing_is_said(tmp_path: Path) -> None:
    found, _ = evaluated(tmp_path, lambda sample: None)
    assert found.metrics == {"eval/missing": 1.0}
