"""AReaL's reward function: picklable, one sample, and an exception before AReaL's own limit makes it 0."""

from __future__ import annotations

import pickle
import time

import pytest

from tests.client.fake_service import FakeService, Fault
from trueward.errors import DeadlineExceeded, Unavailable
from trueward.trainers import areal
from trueward.trainers.areal import NotJudged, reward_function


def test_a_number_for_each_call_also_after_a_pickle(url: str) -> None:
    reward = reward_function(url, recipe="math")
    asked = [("2", "2", 1.0), ("3", "2", 0.0)] * 3
    for said, answer, paid in asked:
        assert pickle.loads(pickle.dumps(reward))("1+1?", said, [1], [2], answer=answer, task="gsm") == paid
    reward._connection.close()


def test_a_missing_reward_raises_and_is_no_number(url: str, service: FakeService) -> None:
    reward = reward_function(url, recipe="math")
    for _ in range(4):  # as often as AReaL tries
        with pytest.raises(NotJudged, match="no_reference"):
            pickle.loads(pickle.dumps(reward))("1+1?", "2", [1], [2], answer=None)
    assert len(service.received) == 1
    reward._connection.close()


def test_it_raises_before_areal_gives_up(url: str, service: FakeService) -> None:
    assert areal.DEADLINE_S < 15
    service.faults = [Fault.of(Unavailable("down"))] * 10_000
    reward = reward_function(url, recipe="math", deadline_s=0.3)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        reward("1+1?", "2", [1], [2], answer="2")
    assert time.monotonic() - began < areal.DEADLINE_S
