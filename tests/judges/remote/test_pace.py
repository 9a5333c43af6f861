"""Limits are kept, learned from what a server tells and refuses, and found again after a storm. Time is the test's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.remote.envelope import Allowance
from judges.remote.pace import LONGEST_PAUSE_S, Pace
from trueward.wire.model import RequestLimits


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Bucket:
    """A server's: refuses what it has no room for."""

    def __init__(self, clock: Clock, rate: float, burst: float) -> None:
        self._clock, self.rate, self._burst = clock, rate, burst
        self._level, self._at = burst, 0.0

    def admits(self, cost: float = 1.0) -> bool:
        self._level = min(self._burst, self._level + self.rate * (self._clock.now - self._at))
        self._at = self._clock.now
        if self._level < cost - 1e-9:
            return False
        self._level -= cost
        return True


def asked(pace: Pace, clock: Clock, server: Bucket, seconds: float) -> tuple[int, int]:
    """As fast as the pace allows, each told at once: how many were accepted, and refused."""
    accepted = refused = 0
    until = clock.now + seconds
    while clock.now < until:
        wait_s = pace.wait_s(0.0)
        if wait_s > 0:
            clock.now += wait_s
            continue
        paid = pace.take(0.0, 0)
        clock.now += 1e-3
        if server.admits():
            accepted += 1
            pace.record_answer(
                paid,
                0,
                0,
            )
        else:
            refused += 1
            pace.record_refusal(paid, None, told=False)
    return accepted, refused


@pytest.mark.parametrize("rate", [0.5, 5.0, 20.0])
@pytest.mark.parametrize("burst_s", [1.0, 10.0])
def test_a_rate_that_nobody_tells_is_found_and_used(rate: float, burst_s: float) -> None:
    clock = Clock()
    pace, server = Pace(clock), Bucket(clock, rate, max(1.0, rate * burst_s))
    asked(pace, clock, server, 100.0)
    accepted, refused = asked(pace, clock, server, 200.0)
    assert accepted >= 0.75 * rate * 200
    assert refused <= 0.15 * accepted + 5


def test_after_a_storm_of_refusals_the_rate_of_before_is_soon_found_again() -> None:
    clock = Clock()
    pace, server = Pace(clock), Bucket(clock, 20.0, 20.0)
    asked(pace, clock, server, 60.0)
    server.rate = 0.0
    _, refused = asked(pace, clock, server, 60.0)
    assert refused <= 25
    server.rate = 20.0
    asked(pace, clock, server, 20.0)
    accepted, _ = asked(pace, clock, server, 20.0)
    assert accepted >= 0.7 * 20 * 20


def test_what_an_entry_allows_a_minute_is_not_exceeded() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.limit(RequestLimits(requests_per_minute=60))
    accepted, refused = asked(pace, clock, Bucket(clock, 1.0, 60.0), 120.0)
    assert refused == 0
    assert accepted >= 175


def test_tokens_are_set_aside_by_what_earlier_requests_took() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.limit(RequestLimits(tokens_per_minute=6_000))
    assert pace.estimate_tokens(1000, 1024) > 1024
    for _ in range(60):
        pace.record_answer(pace.take(pace.estimate_tokens(1000, 1024), 1000), 250, 20)
        clock.now += 5.0
    assert pace.estimate_tokens(1000, 1024) == pytest.approx(280, rel=0.05)
    taken = 0
    while pace.wait_s(280.0) == 0.0:
        pace.take(280.0, 1000)
        taken += 1
    assert 19 <= taken <= 23


def test_what_a_server_tells_is_waited_for() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.learn({"tokens": Allowance(1000, 0, 10.0)})
    assert pace.wait_s(100.0) == pytest.approx(1.0)
    assert pace.wait_s(5000.0) == pytest.approx(10.0)
    pace.learn({"requests": Allowance(10, 0, 86_400.0)})
    assert pace.wait_s(0.0) <= LONGEST_PAUSE_S


def test_a_pause_holds_for_everybody_and_only_grows() -> None:
    clock = Clock()
    pace = Pace(clock)
    for wait_s in (5.0, 1.0, 1e9):
        pace.record_refusal(pace.take(0.0, 0), min(wait_s, 1e6), told=True)
        assert pace.wait_s(0.0) >= 5.0
    assert pace.wait_s(0.0) <= LONGEST_PAUSE_S


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("arlu"), st.floats(0, 30), st.floats(0, 2000)), max_size=80))
def test_whatever_happens_the_next_request_is_sent_some_time(told: list[tuple[str, float, float]]) -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.limit(RequestLimits(requests_per_minute=30, tokens_per_minute=10_000))
    for how, later_s, tokens in told:
        for _ in range(50):
            wait_s = pace.wait_s(tokens)
            assert 0.0 <= wait_s <= LONGEST_PAUSE_S + 60.0
            clock.now += wait_s
            if wait_s == 0.0:
                break
        else:
            pytest.fail("it waits for ever")
        paid = pace.take(tokens, 100)
        clock.now += later_s
        if how == "a":
            pace.record_answer(paid, int(tokens), 10)
        elif how == "r":
            pace.record_refusal(paid, None, told=False)
        elif how == "l":
            pace.record_abandoned(paid)
        else:
            pace.refund(paid)
