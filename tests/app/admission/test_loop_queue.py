"""The line before the event loop: who is let in, who waits, who is sent away."""

from __future__ import annotations

import asyncio
import gc
from contextvars import ContextVar
from weakref import ref

import pytest

from app.admission import loop_queue as lines
from app.admission.limits import MOST_TURN_RETRY_AFTER_S, TURNS_AT_ONCE
from app.admission.loop_queue import LoopQueue, LoopTurn
from trueward.errors import Overloaded

KIND = "/v1/verify"
LARGE = 2 * 10**6
"""Bytes that cost a second where nothing is known."""
SMALL = 100


async def at_work(line: LoopQueue, count: int = TURNS_AT_ONCE) -> list[LoopTurn]:
    return [await line.take(None, KIND, LARGE) for _ in range(count)]


async def soon() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_as_many_large_requests_as_there_are_places_are_at_work() -> None:
    line = LoopQueue()
    turns = await at_work(line)
    late = asyncio.create_task(line.take(None, KIND, LARGE))
    await soon()
    assert (line.running, line.waiting, late.done()) == (TURNS_AT_ONCE, 1, False)
    turns[0].leave()
    await soon()
    assert (line.running, line.waiting, late.done()) == (TURNS_AT_ONCE, 0, True)


async def test_cheap_requests_are_at_work_together() -> None:
    line = LoopQueue()
    for _ in range(30):
        await line.take(None, KIND, SMALL)
    assert (line.running, line.waiting) == (30, 0)


async def test_a_turn_that_is_paused_lets_the_next_one_in_and_goes_on_without_waiting() -> None:
    line = LoopQueue()
    turns = await at_work(line)
    late = asyncio.create_task(line.take(None, KIND, LARGE))
    await soon()
    turns[0].pause()
    turns[0].pause()
    await soon()
    assert late.done()
    turns[0].resume()
    turns[0].resume()
    assert line.running == TURNS_AT_ONCE + 1
    for turn in (*turns, await late):
        turn.leave()
        turn.leave()
    assert line.running == 0


async def test_a_turn_that_is_left_does_not_go_on() -> None:
    line = LoopQueue()
    turn = await line.take(None, KIND, SMALL)
    turn.leave()
    turn.resume()
    assert line.running == 0


async def test_a_turn_that_waits_for_something_else_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_TURN_S", 0.05)
    line = LoopQueue()
    turns = await at_work(line)
    await asyncio.wait_for(line.take(None, KIND, LARGE), timeout=10)
    assert len(turns) == TURNS_AT_ONCE


async def test_a_small_request_does_not_wait_for_large_ones_that_came_before() -> None:
    line = LoopQueue()
    turns = await at_work(line)
    came: list[str] = []

    async def come(name: str, size: int) -> None:
        await line.take(None, KIND, size)
        came.append(name)

    waiting = [asyncio.create_task(come(f"large {number}", LARGE)) for number in range(3)]
    await soon()
    waiting.append(asyncio.create_task(come("small", SMALL)))
    await soon()
    turns[0].leave()
    turns[1].leave()
    await soon()
    assert came == ["large 0", "small", "large 1"] or came == ["small", "large 0"]
    for task in waiting:
        task.cancel()


async def test_projects_take_turns_by_their_weights() -> None:
    line = LoopQueue(lambda project: 3.0 if project == "heavy" else 1.0)
    turns = await at_work(line)
    came: list[str] = []

    async def come(project: str) -> None:
        turn = await line.take(project, KIND, LARGE)
        came.append(project)
        turn.leave()

    waiting = [asyncio.create_task(come(project)) for project in ["light"] * 8 + ["heavy"] * 8]
    await soon()
    for turn in turns[1:]:
        turn.pause()
        turn.resume()
    turns[0].leave()
    await asyncio.gather(*waiting)
    assert came[:8].count("heavy") == 6


async def test_one_that_would_wait_for_too_long_is_sent_away_before_it_is_read() -> None:
    line = LoopQueue()
    await at_work(line)
    with pytest.raises(Overloaded) as refusal:
        line.announce(None, KIND, SMALL)
    assert (refusal.value.code, line.refused) == ("overloaded", 1)
    assert 1 <= (refusal.value.retry_after_s or 0) <= MOST_TURN_RETRY_AFTER_S


async def test_what_a_request_itself_costs_is_no_reason_to_refuse_it() -> None:
    line = LoopQueue()
    line.announce(None, KIND, 1000 * LARGE)
    turn = await line.take(None, KIND, 1000 * LARGE)
    assert line.running == 1
    turn.leave()


async def test_requests_that_are_about_to_wait_count_before_they_do() -> None:
    line = LoopQueue()
    for _ in range(2):
        line.announce(None, KIND, LARGE)
    with pytest.raises(Overloaded):
        line.announce(None, KIND, LARGE)


async def test_heads_whose_bodies_do_not_come_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "COMING_S", 0.01)
    line = LoopQueue()
    for _ in range(2):
        line.announce(None, KIND, LARGE)
    await asyncio.sleep(0.02)
    line.announce(None, KIND, LARGE)


async def test_those_sent_away_are_told_to_come_back_one_after_the_other() -> None:
    line = LoopQueue()
    await at_work(line)
    told = []
    for _ in range(5):
        with pytest.raises(Overloaded) as refusal:
            line.announce(None, KIND, LARGE)
        told.append(refusal.value.retry_after_s or 0)
    assert told == sorted(told)
    assert told[-1] >= told[0] + 3


async def test_a_held_request_is_let_in_when_its_time_has_come() -> None:
    line = LoopQueue()
    await at_work(line)
    await asyncio.wait_for(line.take(None, KIND, LARGE, held_s=0.05), timeout=10)
    assert (line.running, line.waiting) == (TURNS_AT_ONCE + 1, 0)


@pytest.mark.parametrize("granted", [False, True])
async def test_a_client_that_goes_away_leaves_no_place_taken(granted: bool) -> None:
    line = LoopQueue()
    turns = await at_work(line)
    gone = asyncio.create_task(line.take(None, KIND, LARGE))
    await soon()
    if granted:
        turns[0].leave()  # the turn is given, and not yet taken up
    gone.cancel()
    await soon()
    assert gone.cancelled()
    for turn in turns:
        turn.leave()
    assert (line.running, line.waiting) == (0, 0)


async def test_the_cost_of_a_path_is_learned_from_its_requests() -> None:
    line = LoopQueue()
    thought = line.cost_s(KIND, LARGE)
    turn = await line.take(None, KIND, LARGE)
    await asyncio.sleep(0.02)
    turn.leave()
    assert 0.02 <= line.cost_s(KIND, LARGE) < thought
    assert line.cost_s("/another", LARGE) == thought


async def test_two_turns_at_once_cost_half_each() -> None:
    line = LoopQueue()
    begun = asyncio.get_running_loop().time()
    first, second = await line.take(None, "/a", LARGE), await line.take(None, "/b", LARGE)
    await asyncio.sleep(0.1)
    first.leave()
    second.leave()
    half = (asyncio.get_running_loop().time() - begun) / 2  # a busy machine sleeps for longer
    assert line.cost_s("/a", LARGE) == pytest.approx(half, rel=0.2)
    assert line.cost_s("/b", LARGE) == pytest.approx(half, rel=0.2)


async def test_estimates_are_stretched_where_turns_come_later_than_was_thought() -> None:
    line = LoopQueue()
    turns = await at_work(line)
    late = asyncio.create_task(line.take(None, KIND, SMALL))
    await soon()
    before = line.wait_s(None, KIND, SMALL)
    line._at_work_s = 0.0  # as if what is at work were thought to cost nothing
    later = asyncio.create_task(line.take(None, KIND, SMALL))
    await asyncio.sleep(0.5)
    turns[0].leave()
    turns[1].leave()
    await asyncio.gather(late, later)
    line._at_work_s = 4.0
    assert line.wait_s(None, KIND, SMALL) > before


async def test_what_a_request_keeps_is_freed_with_its_turn_and_not_when_a_collector_comes_by() -> None:
    """The turn's clock knows the context that it was set in, the context the request, and the request its turn."""

    class Request:
        turn: LoopTurn

    context: ContextVar[Request] = ContextVar("request")
    line = LoopQueue()

    async def answer() -> ref[Request]:
        request = Request()
        context.set(request)
        request.turn = await line.take(None, "kind", 100)
        request.turn.pause()
        request.turn.resume()
        request.turn.leave()
        return ref(request)

    gc.disable()
    try:
        known = await asyncio.create_task(answer())
        await asyncio.sleep(0)
        assert known() is None
    finally:
        gc.enable()


async def test_what_nobody_waits_for_comes_once_no_request_waits() -> None:
    line = LoopQueue()
    turns = await at_work(line)
    waiting = [asyncio.create_task(line.take(None, KIND, LARGE)) for _ in range(2)]
    begun = asyncio.Event()

    async def job() -> None:
        async with line.behind("jobs", LARGE):
            begun.set()

    working = asyncio.create_task(job())
    await soon()
    assert line.waiting == 2, "it is no request"
    for turn in turns[:2]:
        turn.leave()
        await soon()
        assert not begun.is_set(), "requests that came later have their turn first, and nothing is free yet"
    assert all(task.done() for task in waiting)
    turns[2].leave()
    await soon()
    assert begun.is_set()
    await working
    for turn in (turns[3], *(task.result() for task in waiting)):
        turn.leave()
    assert line.running == 0


async def test_what_nobody_waits_for_goes_on_under_overload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BEHIND_S", 0.05)
    line = LoopQueue()
    await at_work(line)
    late = asyncio.create_task(line.take(None, KIND, LARGE))
    async with asyncio.timeout(10), line.behind("jobs", LARGE) as turn:
        assert line.running == TURNS_AT_ONCE + 1
        turn.pause()
        assert (line.running, late.done()) == (TURNS_AT_ONCE, False)
    assert line.running == TURNS_AT_ONCE
    late.cancel()


async def test_what_nobody_waits_for_may_be_given_up() -> None:
    line = LoopQueue()
    turns = await at_work(line)

    async def job() -> None:
        async with line.behind("jobs", LARGE):
            pass

    working = asyncio.create_task(job())
    await soon()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    for turn in turns:
        turn.leave()
    async with line.behind("jobs", LARGE):
        assert line.running == 1
    assert line.running == 0
