"""Groups whose members reach several replicas; each replica here is an assembly with a link of its own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.http.route import ClientGone
from app.kit.tokens import new_id
from app.protocols.trainers.assembly import Assembly
from app.replicas.groups import SharedGroups
from app.replicas.link import RedisLink
from app.telemetry.metrics import Metrics
from rewards.recipe import Recipe, parse_recipe
from tests.app.replicas.conftest import SECRET
from tests.redis import RedisServer, redis_server
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest
from trueward.wire.verdict import Outcome

pytestmark = pytest.mark.redis

RECIPE = parse_recipe(
    {"name": "four", "terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 60}}
)
HASTY = RECIPE.model_copy(update={"group": RECIPE.group.model_copy(update={"wait_s": 0.5})})


@dataclass
class Ledger:
    """The first reward of a record stays."""

    rewards: dict[str, Reward] = field(default_factory=dict)

    async def read(self, record: str) -> Reward | None:
        return self.rewards.get(record)


@dataclass
class Server:
    """Prices a sample as the size of the group that it was priced with, 0 for one that is priced apart."""

    link: RedisLink
    groups: SharedGroups
    assembly: Assembly
    metrics: Metrics
    ledger: Ledger
    price_s: float = 0.0

    async def price(self, request: RewardsRequest, apart: bool, records: Sequence[str]) -> list[Reward]:
        await asyncio.sleep(self.price_s)
        size = 0 if apart else len(request.samples)
        for sample, record in zip(request.samples, records, strict=True):
            reward = Reward(
                id=sample.id,
                record=record,
                reward=size,
                outcome=Outcome.CORRECT,
                reason=sample.response_text,
                components={},
            )
            self.ledger.rewards.setdefault(record, reward)
        return [self.ledger.rewards[record].model_copy() for record in records]

    async def ask(self, response: str = "4", recipe: Recipe = RECIPE, deadline_s: float = 60.0) -> float:
        request = RewardsRequest(
            recipe="four", run="r", deadline_s=deadline_s, samples=[Sample(prompt="2+2?", response=response)]
        )
        (reward,) = await self.assembly.join(
            recipe, None, request, [new_id()], self.price, asyncio.sleep(3600), size=recipe.group.size
        )
        assert reward.reason == response
        assert reward.reward is not None
        return reward.reward

    async def until_waiting(self, count: int) -> None:
        async with asyncio.timeout(20):
            while self.assembly.waiting != count:
                await asyncio.sleep(0.01)

    def counted(self, name: str) -> float:
        return self.metrics.registry.get_sample_value(name) or 0.0

    async def die(self) -> None:
        """As kill -9 does it: it says nothing any more, and answers nothing."""
        await self.groups.post.__aexit__()
        self.price_s = 3600.0
        self.link._running.cancel()
        await self.link.ask("DEL", self.link.alive(self.link.name))


Started = Callable[[], Awaitable[Server]]


@pytest.fixture
async def own_redis(tmp_path: Path) -> AsyncIterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


@pytest.fixture
async def start(own_redis: RedisServer) -> AsyncIterator[Started]:
    ledger = Ledger()
    async with AsyncExitStack() as stack:

        async def begin() -> Server:
            link = await stack.enter_async_context(RedisLink(own_redis.url, SECRET))
            groups = SharedGroups(own_redis.url, link, ledger.read)
            metrics = Metrics()
            assembly = Assembly(metrics, 30.0, groups)
            groups.seats = assembly
            await stack.enter_async_context(groups.post)
            return Server(link, groups, assembly, metrics, ledger)

        yield begin


async def test_members_on_three_replicas_are_priced_together(start: Started) -> None:
    servers = [await start() for _ in range(3)]
    found = await asyncio.gather(*(servers[number % 3].ask(f"answer {number}") for number in range(4)))
    assert found == [4.0] * 4
    assert len(servers[0].ledger.rewards) == 4
    handed = sum((server.groups.handed for server in servers), Counter())
    assert handed == {"answered": 2}


async def test_group_after_group_every_member_is_priced_in_a_whole_one(start: Started) -> None:
    servers = [await start() for _ in range(3)]
    found = await asyncio.gather(*(servers[number * 7 % 3].ask(f"answer {number}") for number in range(240)))
    assert found == [4.0] * 240
    assert len(servers[0].ledger.rewards) == 240


async def test_text_that_no_store_takes_goes_over_unchanged(start: Started) -> None:
    one, other = await start(), await start()
    first = asyncio.ensure_future(one.ask("one"))
    await one.until_waiting(1)
    waiting = [asyncio.ensure_future(other.ask(text)) for text in ("é\x00≠", "two")]
    assert await asyncio.gather(first, *waiting, one.ask("three")) == [4.0] * 4


async def test_what_does_not_fill_is_priced_apart_by_who_leads(start: Started) -> None:
    one, other = await start(), await start()
    asked = [server.ask(text, HASTY) for server, text in ((one, "a"), (other, "b"), (other, "c"))]
    assert await asyncio.gather(*asked) == [0.0] * 3
    assert one.counted("trueward_assembly_apart_total") + other.counted("trueward_assembly_apart_total") == 3


async def test_a_client_that_goes_away_leaves_the_group_on_the_other_replica(start: Started) -> None:
    one, other = await start(), await start()
    stays = asyncio.ensure_future(one.ask("stays"))
    await one.until_waiting(1)
    leaves = asyncio.ensure_future(other.ask("leaves"))
    await one.until_waiting(2)
    leaves.cancel()
    await one.until_waiting(1)
    rest = [other.ask(f"{number}") for number in range(3)]
    assert await asyncio.gather(stays, *rest) == [4.0] * 4
    assert len(one.ledger.rewards) == 4


async def test_a_client_that_hangs_up_does_so_by_its_connection_too(start: Started) -> None:
    one, other = await start(), await start()
    stays = asyncio.ensure_future(one.ask("stays"))
    await one.until_waiting(1)
    request = RewardsRequest(recipe="four", run="r", deadline_s=60.0, samples=[Sample(prompt="2+2?", response="x")])
    with pytest.raises(ClientGone):
        await other.assembly.join(RECIPE, None, request, [new_id()], other.price, asyncio.sleep(0.3), size=4)
    await one.until_waiting(1)
    stays.cancel()


async def test_when_the_replica_that_leads_dies_the_others_are_priced_apart(start: Started) -> None:
    one, other = await start(), await start()
    lost = asyncio.ensure_future(one.ask("lost"))
    await one.until_waiting(1)
    waiting = [asyncio.ensure_future(other.ask(f"{number}")) for number in range(2)]
    await one.until_waiting(3)
    await one.die()
    assert await asyncio.gather(*waiting) == [0.0, 0.0]
    assert other.groups.handed == {"lost": 2}
    assert other.counted("trueward_assembly_apart_total") == 2
    assert len(other.ledger.rewards) == 2
    lost.cancel()


async def test_after_that_the_next_member_leads_a_new_group(start: Started) -> None:
    one, other, third = await start(), await start(), await start()
    lost = asyncio.ensure_future(one.ask("lost"))
    await one.until_waiting(1)
    await one.die()
    found = await asyncio.gather(*(server.ask(f"{number}") for number, server in enumerate((other, third) * 2)))
    assert found == [4.0] * 4
    lost.cancel()


async def test_what_the_replica_that_died_had_recorded_is_what_is_answered(start: Started) -> None:
    """It committed the group, and its answer was lost: the ledger has one reward, and it is the one that is told."""
    one, other = await start(), await start()
    first = asyncio.ensure_future(one.ask("first"))
    await one.until_waiting(1)
    waiting = [asyncio.ensure_future(other.ask(f"{number}")) for number in range(3)]
    drop, one.groups.post.drop = one.groups.post.drop, lambda to, letter: None  # type: ignore[method-assign]
    assert await first == 4.0
    one.groups.post.drop = drop  # type: ignore[method-assign]
    await one.die()
    assert await asyncio.gather(*waiting) == [4.0] * 3
    assert len(one.ledger.rewards) == 4


async def test_when_redis_goes_nobody_waits_for_it_and_nothing_is_recorded_twice(
    start: Started, own_redis: RedisServer
) -> None:
    one, other = await start(), await start()
    waiting = [asyncio.ensure_future(one.ask("one"))]
    await one.until_waiting(1)
    waiting += [asyncio.ensure_future(other.ask(f"{number}")) for number in range(2)]
    await one.until_waiting(3)
    own_redis.kill()
    assert await asyncio.gather(*waiting[1:]) == [0.0, 0.0]
    waiting += [asyncio.ensure_future(one.ask("last"))]
    assert await asyncio.gather(*waiting[::3]) == [4.0, 4.0]
    assert len(one.ledger.rewards) == 4
    own_redis.start()
    async with asyncio.timeout(20):
        while not (one.link.up and other.link.up):
            await asyncio.sleep(0.02)
    found = await asyncio.gather(*(server.ask(f"{number} again") for number, server in enumerate((one, other) * 2)))
    assert found == [4.0] * 4


async def test_a_letter_without_our_seal_is_no_reward(start: Started) -> None:
    one, other = await start(), await start()
    first = asyncio.ensure_future(one.ask("first"))
    await one.until_waiting(1)
    waiting = asyncio.ensure_future(other.ask("waits"))
    await one.until_waiting(2)
    (name,) = other.groups._waiting
    box = other.link.key("box", other.link.name)
    reward = {"outcome": "correct", "reward": 1000, "components": {}}
    forged = json.dumps({"say": "reward", "member": name, "reward": reward})
    for sealed in (forged.encode(), b"=" + bytes(32) + forged.encode(), one.link.seal.close("x", forged.encode())):
        await other.link.ask("RPUSH", box, sealed)
    rest = [other.ask(f"{number}") for number in range(2)]
    assert await asyncio.gather(first, waiting, *rest) == [4.0] * 4


async def test_a_letter_that_cannot_be_read_keeps_nobody_from_reading(start: Started) -> None:
    one, other = await start(), await start()
    for text in (
        '{"say": "join"}',
        '{"say": "join", "member": "m", "place": 3}',
        '{"say": "reward", "member": "m"}',
        "[]",
    ):
        box = one.link.key("box", one.link.name)
        await one.link.ask("RPUSH", box, one.link.seal.close(box, text.encode()))
    assert await asyncio.gather(*(server.ask(f"{n}") for n, server in enumerate((one, other) * 2))) == [4.0] * 4


async def test_without_time_left_for_the_group_it_is_priced_apart(start: Started) -> None:
    """Who leads has more time than the one that was handed over."""
    one, other = await start(), await start()
    first = asyncio.ensure_future(one.ask("first"))
    await one.until_waiting(1)
    assert await other.ask("late", deadline_s=1.0) == 0.0
    await one.until_waiting(1)
    first.cancel()
