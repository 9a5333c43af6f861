"""Back-pressure: refusals at once, held callers in order, nothing leaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.admission.room import Room
from trueward.errors import Overloaded


async def test_a_full_room_refuses_at_once_and_says_when_to_come_back() -> None:
    room = Room(10)
    async with room.take(8):
        with pytest.raises(Overloaded) as refusal:
            async with room.take(3):
                pass
        assert refusal.value.retry_after_s
        async with room.take(2):
            assert room.taken == 10
    assert room.taken == 0


async def test_a_batch_larger_than_the_room_is_let_in_alone() -> None:
    room = Room(10)
    async with room.take(50):
        assert room.taken == 50


async def test_held_callers_enter_in_order() -> None:
    room = Room(1)
    order: list[int] = []

    async def visit(number: int) -> None:
        async with room.take(1, hold_until=asyncio.get_running_loop().time() + 10):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(visit(number) for number in range(20)))
    assert order == list(range(20))
    assert room.taken == 0


async def test_a_held_caller_gives_up_at_its_deadline_and_leaves_no_trace() -> None:
    room = Room(1)
    async with room.take(1):
        with pytest.raises(Overloaded):
            async with room.take(1, hold_until=asyncio.get_running_loop().time() + 0.01):
                pass
    assert room.taken == 0
    async with room.take(1):
        pass


async def test_a_cancelled_caller_lets_the_next_one_in() -> None:
    room = Room(2)
    later = asyncio.get_running_loop().time() + 10
    entered = asyncio.Event()

    async def visit(count: int) -> None:
        async with room.take(count, hold_until=later):
            entered.set()

    async with room.take(1):
        large = asyncio.ensure_future(visit(2))
        await asyncio.sleep(0)
        small = asyncio.ensure_future(visit(1))
        await asyncio.sleep(0)
        assert not entered.is_set()
        large.cancel()
        await asyncio.wait_for(small, 5)
        assert entered.is_set()
    assert room.taken == 0


def later() -> float:
    return asyncio.get_running_loop().time() + 10


class Crowd:
    """Visitors of a room that come in when they may and stay until they are sent away."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.inside: dict[str | None, list[asyncio.Event]] = {}
        self._visits: list[asyncio.Task[None]] = []

    async def held(self, project: str | None, count: int = 1, times: int = 1) -> None:
        for _ in range(times):
            self._visits.append(asyncio.create_task(self._stay(project, count, later())))
        await asyncio.sleep(0)

    async def asks(self, project: str | None, count: int = 1) -> bool:
        """Whether who retries is let in."""
        visit = asyncio.create_task(self._stay(project, count, None))
        self._visits.append(visit)
        await asyncio.sleep(0)
        return not visit.done()

    async def _stay(self, project: str | None, count: int, hold_until: float | None) -> None:
        leave = asyncio.Event()
        try:
            async with self._room.take(count, hold_until=hold_until, project=project):
                self.inside.setdefault(project, []).append(leave)
                await leave.wait()
        except Overloaded:
            pass

    async def leaves(self, project: str | None, times: int = 1) -> None:
        for _ in range(times):
            self.inside[project].pop(0).set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    def count(self, project: str | None) -> int:
        return len(self.inside.get(project, []))

    async def close(self) -> None:
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)


@pytest.fixture
async def crowd() -> AsyncIterator[Crowd]:
    found = Crowd(Room(12, lambda project: 2.0 if project == "heavy" else 1.0))
    yield found
    await found.close()


async def test_one_project_alone_has_the_whole_room(crowd: Crowd) -> None:
    await crowd.held("a", times=12)
    assert crowd.count("a") == 12


async def test_who_waits_is_let_in_by_turns_between_projects(crowd: Crowd) -> None:
    await crowd.held("a", times=40)
    await crowd.held("b", times=40)
    await crowd.leaves("a", 12)
    assert crowd.count("a") == crowd.count("b") == 6


async def test_turns_go_by_weight(crowd: Crowd) -> None:
    await crowd.held("a", times=40)
    await crowd.held("heavy", times=40)
    await crowd.leaves("a", 12)
    assert (crowd.count("a"), crowd.count("heavy")) == (4, 8)


async def test_held_callers_do_not_starve_a_project_that_asks_again(crowd: Crowd) -> None:
    await crowd.held("a", times=100)
    assert not await crowd.asks("b")
    await crowd.leaves("a", 6)
    assert [await crowd.asks("b") for _ in range(7)] == [True] * 6 + [False]
    assert crowd.count("a") == 6


async def test_a_project_that_asks_again_does_not_starve_held_callers(crowd: Crowd) -> None:
    for _ in range(12):
        assert await crowd.asks("a")
    await crowd.held("b", times=100)
    for _ in range(12):
        await crowd.leaves("a")
        await crowd.asks("a")
    assert crowd.count("b") >= 6


async def test_small_requests_of_others_do_not_keep_a_large_one_out(crowd: Crowd) -> None:
    await crowd.held("b", times=12)
    await crowd.held("a", count=10)
    await crowd.held("b", times=50)
    for _ in range(60):
        if crowd.count("a"):
            break
        await crowd.leaves("b")
    assert crowd.count("a") == 1


async def test_a_closed_room_takes_held_callers_only_and_a_shut_one_nobody() -> None:
    room = Room(1)
    room.close()
    with pytest.raises(Overloaded) as refusal:
        async with room.take(1):
            pass
    assert refusal.value.retry_after_s
    async with room.take(1, hold_until=later()):
        waiting = asyncio.create_task(_visit(room))
        await asyncio.sleep(0)
        room.shut()
        with pytest.raises(Overloaded):
            await waiting
        with pytest.raises(Overloaded):
            await _visit(room)
    assert room.taken == room.waiting == 0


async def _visit(room: Room) -> None:
    async with room.take(1, hold_until=later()):
        pass
