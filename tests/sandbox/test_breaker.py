"""A breaker opens on evidence of death alone, lets a trickle through while it is open, and more and more afterwards."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.remote.breaker import Breaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock, threshold: int = 3) -> Breaker:
    breaker = Breaker(threshold=threshold, clock=clock)
    for _ in range(threshold):
        breaker.record_sent()
        breaker.record_failure()
    return breaker


def test_a_row_of_failures_opens_it_and_an_answer_between_them_does_not() -> None:
    breaker = Breaker(threshold=3, clock=Clock())
    for failed in (True, True, False, True, True):
        breaker.record_sent()
        breaker.record_failure() if failed else breaker.record_answer()
    assert not breaker.open
    breaker.record_sent()
    breaker.record_failure()
    assert breaker.open


def test_who_leaves_says_nothing() -> None:
    breaker = Breaker(threshold=1, clock=Clock())
    for _ in range(100):
        breaker.record_sent()
        breaker.record_abandoned()
    assert not breaker.open
    assert breaker.wait_s() == 0.0


def test_while_it_is_open_one_request_a_second_is_sent_though_none_is_answered_yet() -> None:
    clock = Clock()
    breaker = opened(clock)
    sent = 0
    while clock.now < 9.95:
        if breaker.wait_s() == 0.0:
            breaker.record_sent()
            sent += 1
        clock.now += 0.05
    assert 8 <= sent <= 10


def test_recovery_is_noticed_by_a_tenth_of_the_outage_later_at_most() -> None:
    for outage_s in (3.0, 30.0, 300.0):
        clock = Clock()
        breaker = opened(clock)
        while breaker.open:
            clock.now += breaker.wait_s()
            breaker.record_sent()
            breaker.record_failure() if clock.now < outage_s else breaker.record_answer()
        assert clock.now <= outage_s + max(1.0, min(5.0, outage_s / 10)) + 1e-9


def test_after_the_first_answer_there_is_room_for_a_few_and_then_for_more() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += breaker.wait_s()
    breaker.record_sent()
    breaker.record_answer()
    rooms, sent = [], 0
    for _ in range(5):
        while breaker.wait_s() == 0.0:
            breaker.record_sent()
            sent += 1
        rooms.append(sent)
        clock.now += 0.5
    assert rooms == [2, 4, 8, 16, 32]
    assert breaker.wait_s() == 0.0


@settings(deadline=None)
@given(st.lists(st.sampled_from(["record_answer", "record_failure", "record_abandoned"]), max_size=60))
def test_it_never_waits_for_ever(told: list[str]) -> None:
    clock = Clock()
    breaker = Breaker(clock=clock)
    for how in told:
        clock.now += breaker.wait_s()
        assert breaker.wait_s() == 0.0
        breaker.record_sent()
        getattr(breaker, how)()
        assert breaker.wait_s() <= 5.0
