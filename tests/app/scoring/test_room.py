"""Back-pressure: refusals at once, held callers in order, nothing leaks."""

from __future__ import annotations

import asyncio

import pytest

from app.scoring.room import Room
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
