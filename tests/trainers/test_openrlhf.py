"""The file form of OpenRLHF: numbers under constant keys, filtering scores from outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocols.trainers import openrlhf as adapter
from tests.client.fake_service import FakeService
from trueward.trainers import openrlhf
from trueward.trainers.openrlhf import reward_function
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome


@pytest.fixture
def reward_func(url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(openrlhf, "_series", lambda values: values)
    return reward_function(url, recipe="math")


def test_an_answer_of_each_kind(reward_func: Any) -> None:
    prompts = ["<user>1+1?"] * 3
    answer = reward_func([f"{prompts[0]}{said}" for said in ("2", "3", "2")], prompts, ["2", "2", None])
    assert answer == {
        "rewards": [1.0, 0.0, 0.5],
        "scores": [1.0, 0.0, 0.5],
        "extra_logs": {
            "trueward_correct": [1.0, 0.0, 0.0],
            "trueward_invalid": [0.0, 0.0, 0.0],
            "trueward_missing": [0.0, 0.0, 1.0],
        },
    }


def test_scores_lie_in_the_unit_interval_whatever_the_reward(reward_func: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    paid = [(Outcome.SCORED, 3.5), (Outcome.CORRECT, -2.0), (Outcome.INCORRECT, 9.0), (Outcome.ERROR, None)]
    rewards = [Reward(outcome=outcome, reward=score, components={}) for outcome, score in paid]
    monkeypatch.setattr(reward_func._connection, "rewards", lambda samples, apart: rewards)
    answer = reward_func(["pq"] * 4, ["p"] * 4, ["q"] * 4)
    assert answer["rewards"] == [3.5, -2.0, 9.0, 3.5]
    assert answer["scores"] == [1.0, 1.0, 0.0, 1.0]


def test_the_response_is_what_follows_the_prompt(reward_func: Any, service: FakeService) -> None:
    reward_func(["pq"], ["p"], ["q"])
    assert service.received[0].body["samples"] == [{"id": "0", "prompt": "p", "response": "q", "reference": "q"}]


def test_the_file_reads_a_template_s_text_as_the_path_over_http_does(reward_func: Any, service: FakeService) -> None:
    prompt = "<|im_start|>user\n2?<|im_end|>\n<|im_start|>assistant\n<think>\n"
    reward_func([f"<s>{prompt}4<|im_end|>\n"], [prompt], ["4"])
    [asked] = service.received[0].body["samples"]
    assert (asked["response"], asked["prefix"]) == ("4", "<think>")
    [parsed] = adapter.parse(
        adapter.OpenRlhfPayload(query=[f"<s>{prompt}4<|im_end|>\n"], prompts=[prompt], labels=["4"])
    )
    assert (parsed.response, parsed.prefix) == ("4", "<think>")


def test_empty_lists_give_empty_lists(reward_func: Any) -> None:
    assert reward_func([], [], [])["rewards"] == []


def test_where_torch_is_installed_numbers_are_tensors(url: str) -> None:
    import torch

    answer: Any = reward_function(url, recipe="math")(["pq"], ["p"], ["q"])
    assert torch.equal(answer["rewards"], torch.tensor([1.0]))
    assert answer["extra_logs"]["trueward_missing"].item() == 0.0
