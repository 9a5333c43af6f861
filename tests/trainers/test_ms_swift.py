"""ms-swift's outcome reward models: made with ``args=``, called with completions and columns, never None."""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from trueward.errors import InvalidRequest
from trueward.trainers.ms_swift import async_orm, orm

MESSAGES = [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "2"}]
COLUMNS: dict[str, Any] = {
    "solution": ["2", "2", None],
    "messages": [MESSAGES] * 3,
    "trainer_state": SimpleNamespace(global_step=4),
}


def test_a_missing_reward_is_its_groups_mean(url: str, service: FakeService) -> None:
    made = orm(url, recipe="math")(args=None)
    assert type(made).__name__ == "Trueward"
    assert made(["2", "3", "2"], **COLUMNS) == [1.0, 0.0, 0.5]
    body = service.received[0].body
    assert body["step"] == 4
    assert body["samples"][0] == {
        "id": "0",
        "prompt": [{"role": "user", "content": "1+1?"}],
        "response": "2",
        "reference": "2",
    }


def test_the_async_form_is_seen_as_one_and_works_in_a_loop_of_each_call(url: str) -> None:
    made = async_orm(url, recipe="math")(args=None)
    assert inspect.iscoroutinefunction(made.__call__)
    for _ in range(2):
        assert asyncio.run(made(["2", "3", "2"], **COLUMNS)) == [1.0, 0.0, 0.5]


def test_a_missing_reference_column_is_named(url: str) -> None:
    with pytest.raises(InvalidRequest, match="no column 'solution'"):
        orm(url, recipe="math")()(["2"], messages=[MESSAGES])


def test_what_ms_swift_tells_of_a_generation_is_sent(url: str, service: FakeService) -> None:
    told = {
        **COLUMNS,
        "finish_reason": ["stop", "length", None],
        "response_token_ids": [[[5, 6], [7]], [5], [9]],
        "rollout_logprobs": [[[-0.5, -1.0], [-2.0]], [[-0.25]], [[float("nan")]]],
        "baseline_scores": [[0.5], [0.25, 1.0], None],
    }
    for options in ({}, {"logprobs": True}):
        orm(url, recipe="math", **options)()(["2", "3", "2"], **told)  # type: ignore[arg-type]
    plain, more = (one.body["samples"] for one in service.received)
    assert [one.get("finish_reason") for one in plain] == ["stop", "length", None]
    assert [one["tokens"] for one in plain] == [3, 1, 1]
    assert [one.get("baseline_scores") for one in plain] == [[0.5], [0.25, 1.0], None]
    assert not any("logprobs" in one for one in plain)
    assert [one.get("logprobs") for one in more] == [
        {"token_ids": [5, 6, 7], "logprobs": [-0.5, -1.0, -2.0]},
        {"token_ids": [5], "logprobs": [-0.25]},
        None,
    ]
