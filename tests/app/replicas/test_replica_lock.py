"""One replica at a time, as long as it lives."""

from __future__ import annotations

import asyncio

import pytest

from app.replicas.link import RedisLink
from app.replicas.replica_lock import ReplicaLock
from tests.app.replicas.conftest import Linked

LONG_S = 60.0


async def two(linked: Linked) -> tuple[RedisLink, ReplicaLock, ReplicaLock]:
    one, other = await linked(), await linked()
    return one, ReplicaLock(one), ReplicaLock(other)


async def test_the_first_has_the_turn_and_the_second_hears_whose_it_is(linked: Linked) -> None:
    link, one, other = await two(linked)
    place, mine = link.key("t", link.name), one.new()
    assert await one.ask(place, mine, LONG_S) == mine
    assert await other.ask(place, other.new(), LONG_S) == mine
    assert mine.holder == link.name


async def test_a_turn_that_is_given_back_is_had_by_the_next(linked: Linked) -> None:
    link, one, other = await two(linked)
    place, mine = link.key("t", link.name), one.new()
    await one.ask(place, mine, LONG_S)
    waiting = asyncio.ensure_future(other.wait(place, other.new(), LONG_S))
    one.give_back(place, mine)
    assert await waiting is None


async def test_nobody_gives_back_what_another_has(linked: Linked) -> None:
    link, one, other = await two(linked)
    place, mine = link.key("t", link.name), one.new()
    await one.ask(place, mine, LONG_S)
    other.give_back(place, other.new())
    one.give_back(place, one.new())
    assert await other.ask(place, other.new(), LONG_S) == mine


async def test_a_text_that_is_left_is_had_by_all_who_wait(linked: Linked) -> None:
    link, one, other = await two(linked)
    place, mine = link.key("t", link.name), one.new()
    await one.ask(place, mine, LONG_S)
    waiting = [asyncio.ensure_future(other.wait(place, other.new(), LONG_S)) for _ in range(5)]
    one.leave(place, b"=the text", LONG_S)
    assert await asyncio.gather(*waiting) == [b"=the text"] * 5


async def test_a_turn_ends_with_its_holder(linked: Linked) -> None:
    link, one, other = await two(linked)
    place = link.key("t", link.name)
    await one.ask(place, one.new(), LONG_S)
    await link.__aexit__()
    assert await other.wait(place, other.new(), LONG_S) is None


async def test_a_turn_ends_with_its_time(linked: Linked) -> None:
    link, one, other = await two(linked)
    place = link.key("t", link.name)
    await one.ask(place, one.new(), 0.05)
    assert await other.wait(place, other.new(), LONG_S) is None


async def test_a_claim_that_is_none_of_ours_keeps_nobody(linked: Linked) -> None:
    link, one, _ = await two(linked)
    place, mine = link.key("t", link.name), one.new()
    await link.ask("SET", place, "?not a replica")
    assert await one.ask(place, mine, LONG_S) == mine


@pytest.mark.parametrize("times", [20])
async def test_blocks_of_one_place_do_not_overlap(linked: Linked, times: int) -> None:
    link, one, other = await two(linked)
    inside = 0

    async def enter(turns: ReplicaLock) -> None:
        nonlocal inside
        async with turns.lock(link.name, LONG_S):
            assert inside == 0
            inside += 1
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*(enter(turns) for turns in (one, other) * (times // 2)))


async def test_without_redis_nobody_waits(linked: Linked) -> None:
    link, one, _ = await two(linked)
    link.fail(OSError("gone"))
    async with asyncio.timeout(5), one.lock("place", LONG_S):
        pass
