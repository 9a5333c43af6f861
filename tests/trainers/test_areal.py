"""AReaL's reward function: picklable, one sample, and an exception before AReaL's own limit makes it 0."""

from __future__ import annotations

import pickle
import time

import pytest

from tests.client.fake_service import FakeService, Fault
from trueward.errors import DeadlineExceeded, Unavailable
from trueward.trainers import areal
from trueward.trainers.areal import reward_function


def test_a_number_for_each_call_also_after_a_pickle(url: str) -> None:
    reward = pickle.loads(pickle.dumps(reward_function(url, recipe="math")))
    assert reward("1+1?", "2", [1], [2], answer="2") == 1.0
    assert reward("1+1?", "2", [1], [2], answer=None, task="gsm") == 1.0, "the mean so far"
    reward._connection.close()


def test_it_raises_before_areal_gives_up(url: str, service: FakeService) -> None:
    assert areal.DEADLINE_S < 15
    service.faults = [Fault.of(Unavailable("down"))] * 10_000
    reward = reward_function(url, recipe="math", deadline_s=0.3)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        reward("1+1?", "2", [1], [2], answer="2")
    assert time.monotonic() - began < areal.DEADLINE_S
