"""Members of one group on several replicas: all that are missing get one number, that of the whole group."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.protocols.trainers import stand_in as module
from app.protocols.trainers.stand_in import StandIns
from app.replicas.link import RedisLink
from app.replicas.siblings import SharedSiblings
from tests.app.replicas.conftest import SECRET, Linked
from tests.redis import redis_server
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

pytestmark = pytest.mark.redis

SCOPE = ("owner", "recipe", "run")


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK_S", 0.02)


async def member(
    at: StandIns,
    value: float | None,
    said: str,
    *,
    name: str = "p",
    size: int = 4,
    within_s: float = 30.0,
    record: str | None = None,
) -> float:
    """The number of one member of a group, asked for at one replica."""
    outcome = Outcome.ABSTAINED if value is None else Outcome.SCORED
    reward = Reward(outcome=outcome, reward=value, components={})
    seat = at.enter(SCOPE, name, said, at_once=64, size=size, record=record)
    until = asyncio.get_running_loop().time() + within_s
    try:
        return (await at.numbers([seat], [reward], until))[0]
    finally:
        at.leave([seat])


async def replicas(linked: Linked, count: int = 2) -> list[StandIns]:
    return [StandIns(SharedSiblings(await linked())) for _ in range(count)]


async def test_missing_members_on_two_replicas_get_the_mean_of_both(linked: Linked) -> None:
    one, other = await replicas(linked)
    missing = [asyncio.create_task(member(at, None, f"m{n}", name="both")) for n, at in enumerate((one, other))]
    await asyncio.sleep(0.1)
    assert not any(task.done() for task in missing)
    assert await member(one, 1.0, "a", name="both") == 1.0
    assert await member(other, 0.5, "b", name="both") == 0.5
    assert await asyncio.gather(*missing) == [0.75, 0.75]


async def test_a_group_without_any_reward_has_one_number_on_all_replicas(linked: Linked) -> None:
    one, other = await replicas(linked)
    assert await member(one, 1.0, "x", name="paid", size=1) == 1.0  # the means of their runs differ
    missing = [member(at, None, f"m{n}", name="none") for n, at in enumerate((one, other, one, other))]
    assert len(set(await asyncio.gather(*missing))) == 1


async def test_the_next_group_of_a_prompt_is_another_one(linked: Linked) -> None:
    one, other = await replicas(linked)
    for step, value in enumerate((0.0, 1.0)):
        missing = asyncio.create_task(member(one, None, f"m{step}", name="again", size=2))
        await asyncio.sleep(0.05)
        assert await member(other, value, f"a{step}", name="again", size=2) == value
        assert await missing == value


async def test_a_replica_that_ends_waits_for_siblings_that_come_to_the_other(linked: Linked) -> None:
    one, other = await replicas(linked)
    missing = asyncio.create_task(member(one, None, "m", name="ends", size=3))
    await asyncio.sleep(0.05)
    one.close()
    await asyncio.sleep(0.1)
    assert not missing.done()
    await asyncio.gather(member(other, 1.0, "a", name="ends", size=3), member(other, 0.5, "b", name="ends", size=3))
    assert await missing == 0.75


async def test_a_replica_that_ends_waits_no_longer_than_it_may(linked: Linked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLOSING_S", 0.2)
    (one,) = await replicas(linked, 1)
    missing = asyncio.create_task(member(one, None, "m", name="short"))
    await asyncio.sleep(0.05)
    one.close()
    async with asyncio.timeout(5):
        assert await missing == 0.0


async def test_a_member_whose_call_ended_is_not_counted_when_it_comes_to_another_replica(linked: Linked) -> None:
    one, other = await replicas(linked)
    left = asyncio.create_task(member(one, None, "m", name="left", size=3))
    await asyncio.sleep(0.1)
    left.cancel()
    again = asyncio.create_task(member(other, None, "m", name="left", size=3))
    assert await member(other, 1.0, "a", name="left", size=3) == 1.0
    await asyncio.sleep(0.2)
    assert not again.done()
    assert await member(one, 0.5, "b", name="left", size=3) == 0.5
    assert await again == 0.75


async def test_a_record_that_is_asked_for_at_two_replicas_is_one_member(linked: Linked) -> None:
    one, other = await replicas(linked)
    for at in (one, other):
        assert await member(at, 1.0, "a", name="twice", size=3, record="r") == 1.0
    missing = asyncio.create_task(member(one, None, "m", name="twice", size=3))
    await asyncio.sleep(0.2)
    assert not missing.done()
    assert await member(other, 0.5, "b", name="twice", size=3) == 0.5
    assert await missing == 0.75


async def test_a_waiting_member_gets_the_number_of_its_own_replica_where_redis_goes_away(tmp_path: Path) -> None:
    with redis_server(tmp_path) as own:
        async with RedisLink(own.url, SECRET) as link:
            one = StandIns(SharedSiblings(link))
            missing = asyncio.create_task(member(one, None, "m", name="away", size=3, within_s=3.0))
            assert await member(one, 0.5, "a", name="away", size=3) == 0.5
            own.kill()
            async with asyncio.timeout(20):
                assert await missing == 0.5
