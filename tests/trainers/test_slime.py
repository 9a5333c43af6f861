"""slime's custom reward model: one sample or a group, by the fields of its ``Sample`` dataclass."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from trueward.trainers.slime import CustomRM, custom_rm


class Status(Enum):
    """As slime's ``Sample.Status``."""

    PENDING = "pending"
    COMPLETED = "completed"
    TRUNCATED = "truncated"


def sample(response: str, label: str | None, **fields: Any) -> Any:
    """The fields of slime's ``Sample`` that reach a reward model."""
    known = {
        "prompt": "1+1?", "response_length": 3, "remove_sample": False, "status": Status.COMPLETED, "metadata": {},
        "group_index": 5,
    }  # fmt: skip
    return SimpleNamespace(response=response, label=label, **{**known, **fields})


@pytest.fixture
def rm(url: str) -> CustomRM:
    return custom_rm(url, recipe="math")


async def test_one_sample_gives_a_number(rm: Any) -> None:
    assert await rm(SimpleNamespace(), sample("2", "2")) == 1.0


async def test_a_group_gives_a_list_and_leaves_a_missing_one_out_of_the_loss(rm: Any) -> None:
    group = [sample("2", "2"), sample("3", "2"), sample("2", None)]
    assert await rm(SimpleNamespace(), group, evaluation=False) == [1.0, 0.0, 0.5]
    assert [one.remove_sample for one in group] == [False, False, True]


async def test_what_is_sent(rm: Any, service: FakeService) -> None:
    chat = [{"role": "user", "content": "1+1?"}]
    await rm(None, sample("2", "2", prompt=chat, status=Status.TRUNCATED, metadata={"level": 3}))
    assert service.received[0].body["samples"] == [
        {
            "id": "0",
            "prompt": chat,
            "response": "2",
            "reference": "2",
            "tokens": 3,
            "finish_reason": "length",
            "group": "5",
            "metadata": {"level": 3},
        }
    ]


async def test_a_status_that_says_nothing_is_not_sent(rm: Any, service: FakeService) -> None:
    await rm(None, sample("2", "2", status=Status.PENDING, group_index=None))
    assert {"finish_reason", "group", "metadata"}.isdisjoint(service.received[0].body["samples"][0])


async def test_thinking_that_the_template_opened_is_told(rm: Any, service: FakeService) -> None:
    await rm(SimpleNamespace(), sample("2", "2", prompt="1+1?<think>\n"))
    await rm(SimpleNamespace(), sample("2", "2"))
    opened, plain = [received.body["samples"][0] for received in service.received]
    assert opened["prefix"] == "<think>"
    assert "prefix" not in plain


async def test_log_probabilities_are_sent_where_that_is_asked_for(url: str, service: FakeService) -> None:
    given = sample("2", "2", tokens=[7, 8, 9], rollout_log_probs=[-0.5, -1.0], metadata={"baselines": ["3"]})
    await custom_rm(url, recipe="math")(SimpleNamespace(), given)
    await custom_rm(url, recipe="math", logprobs=True)(SimpleNamespace(), given)
    plain, told = (one.body["samples"][0] for one in service.received)
    assert "logprobs" not in plain
    assert told["logprobs"] == {"token_ids": [8, 9], "logprobs": [-0.5, -1.0]}
    assert plain["baselines"] == told["baselines"] == ["3"]
