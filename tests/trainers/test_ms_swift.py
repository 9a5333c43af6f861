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
