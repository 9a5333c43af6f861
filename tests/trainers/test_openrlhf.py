"""The file form of OpenRLHF: numbers under constant keys, filtering scores from outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client.fake_service import FakeService
from trueward.trainers import openrlhf
from trueward.trainers.openrlhf import reward_function


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


def test_the_response_is_what_follows_the_prompt(reward_func: Any, service: FakeService) -> None:
    reward_func(["pq"], ["p"], ["q"])
    assert service.received[0].body["samples"] == [{"id": "0", "prompt": "p", "response": "q", "reference": "q"}]


def test_empty_lists_give_empty_lists(reward_func: Any) -> None:
    assert reward_func([], [], [])["rewards"] == []


def test_where_torch_is_installed_numbers_are_tensors(url: str) -> None:
    import torch

    answer: Any = reward_function(url, recipe="math")(["pq"], ["p"], ["q"])
    assert torch.equal(answer["rewards"], torch.tensor([1.0]))
    assert answer["extra_logs"]["trueward_missing"].item() == 0.0
