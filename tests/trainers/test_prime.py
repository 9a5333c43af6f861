"""prime's plugged reward: a number, or an exception that prime records; never a number for a missing reward."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.client.fake_service import FakeService
from trueward.errors import RewardMissing
from trueward.trainers.prime import reward

TASK = SimpleNamespace(prompt_text="1+1?", answer="2")


async def test_the_last_reply_is_judged(url: str, service: FakeService) -> None:
    assert await reward(url, recipe="math")(TASK, SimpleNamespace(last_reply="2")) == 1.0
    assert service.received[0].body["samples"] == [{"id": "0", "prompt": "1+1?", "response": "2", "reference": "2"}]


async def test_a_missing_reward_raises(url: str) -> None:
    with pytest.raises(RewardMissing, match="abstained: no_reference"):
        await reward(url, recipe="math", reference=None)(TASK, SimpleNamespace(last_reply="2"))
