"""prime's plugged reward: a number, or an exception that prime records; never a number for a missing reward."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from tests.client.fake_service import FakeService
from trueward.errors import NotInstalled, RewardMissing
from trueward.trainers.prime import reward
from trueward.trainers.prime_tasks import judge, taskset

TASK = SimpleNamespace(prompt_text="1+1?", answer="2")


class Trace:
    """One reply, and the metrics that were recorded."""

    last_reply = "2"

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}

    def record_metrics(self, values: Mapping[str, float]) -> None:
        self.metrics |= values


async def test_the_last_reply_is_judged(url: str, service: FakeService) -> None:
    trace = Trace()
    assert await reward(url, recipe="math")(TASK, trace) == 1.0
    assert service.received[0].body["samples"] == [{"id": "0", "prompt": "1+1?", "response": "2", "reference": "2"}]
    assert (trace.metrics["acc"], trace.metrics["trueward_missing"]) == (1.0, 0.0)


async def test_a_missing_reward_raises_and_is_counted(url: str) -> None:
    trace = Trace()
    with pytest.raises(RewardMissing, match="abstained: no_reference"):
        await reward(url, recipe="math", reference=None)(TASK, trace)
    assert trace.metrics["trueward_missing"] == 1.0


def test_without_prime_s_package_there_is_no_taskset_and_no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "verifiers.v1", None)
    with pytest.raises(NotInstalled, match="pip install verifiers"):
        taskset("http://127.0.0.1:1", recipe="math", rows=list)
    with pytest.raises(NotInstalled, match="pip install verifiers"):
        judge("http://127.0.0.1:1", recipe="math")
