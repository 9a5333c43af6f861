"""The scorer for Google's fine-tuning: requests and answers as documented (``contracts/cloud-run.json``)."""

from __future__ import annotations

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.live import Service
from tests.trainers.test_pages import contract
from trueward.trainers.cloud_run import cloud_run_scorer

KNOWN = contract("cloud-run")


def asked(said: str, gold: str | None = "2") -> dict[str, Any]:
    """The documented request with another response and reference; its thought stays."""
    request: dict[str, Any] = copy.deepcopy(KNOWN["request"])
    request["response"]["parts"][-1]["text"] = said
    request["example"]["references"] = {} if gold is None else {"answer": gold}
    return request


def test_a_documented_request_is_sent_on_without_its_thought(url: str, service: FakeService) -> None:
    cloud_run_scorer(url, recipe="math", run="r1")(KNOWN["request"])
    (request,) = service.received
    (sample,) = request.body["samples"]
    assert sample["prompt"] == [
        {"role": "system", "content": "Answer in a box."},
        {"role": "user", "content": "1+1?"},
    ]
    assert (sample["response"], sample["reference"]) == ("\\boxed{2}", "2")
    assert (request.body["run"], request.body["step"]) == ("r1", 1)


def test_earlier_turns_of_the_model_are_the_assistant_s(url: str, service: FakeService) -> None:
    request = asked("2")
    request["example"]["contents"] += [{"role": "model", "parts": [{"text": "Why?"}]}, {"parts": [{"text": "Do."}]}]
    cloud_run_scorer(url, recipe="math", reference=None)(request)
    (sample,) = service.received[0].body["samples"]
    assert [turn["role"] for turn in sample["prompt"]] == ["system", "user", "assistant", "user"]
    assert "reference" not in sample


def test_an_answer_is_as_documented(keyless: Service) -> None:
    scorer = cloud_run_scorer(keyless.url, recipe="math", run="cloud-run")
    answers = [scorer(asked(said)) for said in ("\\boxed{2}", "\\boxed{3}")]
    assert [answer["reward"] for answer in answers] == [1.0, 0.0]
    assert all(answer.keys() == KNOWN["answer"].keys() for answer in answers)
    assert json.loads(json.dumps(answers)) == answers


def test_a_missing_reward_is_the_mean_of_its_prompt_s_others(keyless: Service) -> None:
    scorer = cloud_run_scorer(keyless.url, recipe="math", run="cloud-run-missing", group_size=4)
    requests = [asked("\\boxed{2}", None), asked("\\boxed{2}"), asked("\\boxed{2}"), asked("\\boxed{3}")]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(scorer, requests))
    assert answers[0]["reward"] == pytest.approx(2 / 3, abs=2**-12)
    assert str(answers[0]["user_requested_aux_info"]).startswith("abstained: no_reference")
