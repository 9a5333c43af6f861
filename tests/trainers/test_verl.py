"""What verl calls: its own argument names, constant numeric keys, no None, an exception only where nobody answers."""

from __future__ import annotations

import inspect

import pytest

from tests.client.fake_service import FakeService, Fault
from trueward.errors import DeadlineExceeded, Unavailable
from trueward.trainers.verl import async_score, batch_score, score

KEYS = ["score", "acc", "trueward_outcome", "trueward_missing", "trueward_component_exact"]
RIGHT = {"data_source": "gsm8k", "solution_str": "a", "ground_truth": "a", "extra_info": {"index": 1}}
UNJUDGED = {**RIGHT, "ground_truth": None}


async def test_verl_sees_a_coroutine_function_and_awaits_it(url: str) -> None:
    compute_score = async_score(url, recipe="math")
    assert inspect.iscoroutinefunction(compute_score)
    result = await compute_score(**RIGHT, reward_router_address=None, reward_model_tokenizer=None)
    assert result == dict(zip(KEYS, [1.0, 1.0, 0.0, 0.0, 1.0], strict=True))


def test_a_missing_score_is_a_flagged_number_under_the_same_keys(url: str) -> None:
    compute_score = score(url, recipe="math")
    assert not inspect.iscoroutinefunction(compute_score)
    first, wrong = compute_score(**RIGHT), compute_score(**{**RIGHT, "solution_str": "b"})
    missing = compute_score(**UNJUDGED)
    assert [*first] == [*wrong] == [*missing] == KEYS
    assert (missing["score"], missing["acc"], missing["trueward_missing"]) == (0.5, 0.5, 1.0)
    assert all(isinstance(value, float) for value in missing.values())


def test_the_batch_form_has_plural_names_and_its_groups_means(url: str, service: FakeService) -> None:
    results = batch_score(url, recipe="math", run="r1")(
        data_sources=["gsm8k"] * 3,
        solution_strs=["a", "b", "a"],
        ground_truths=["a", "a", None],
        extra_infos=[{"index": 4}, {"index": 4}, {"index": 4}],
        num_examine=0,
    )
    assert [result["score"] for result in results] == [1.0, 0.0, 0.5]
    assert {tuple(result) for result in results} == {tuple(KEYS)}
    (received,) = service.received
    assert received.body["run"] == "r1"
    assert [sample["group"] for sample in received.body["samples"]] == ["gsm8k/4"] * 3


def test_an_empty_batch_is_empty(url: str) -> None:
    compute_score = batch_score(url, recipe="math")
    assert compute_score(data_sources=[], solution_strs=[], ground_truths=[], extra_infos=[]) == []


def test_what_is_sent(url: str, service: FakeService) -> None:
    extra = {"index": 7, "split": "test", "question": "1+1?", "num_turns": None}
    score(url, recipe="math", prompt_key="question")(**{**RIGHT, "extra_info": extra})
    (sample,) = service.received[0].body["samples"]
    assert sample == {
        "id": "0",
        "prompt": "1+1?",
        "response": "a",
        "reference": "a",
        "data_source": "gsm8k",
        "group": "gsm8k/7",
    }
    assert service.received[0].body["split"] == "eval"


def test_a_service_that_is_away_raises_rather_than_pays(url: str, service: FakeService) -> None:
    service.faults = [Fault.of(Unavailable("down"))] * 10_000
    with pytest.raises(DeadlineExceeded):
        score(url, recipe="math", deadline_s=0.3)(**RIGHT)
