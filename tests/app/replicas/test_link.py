"""The way to Redis: in order, bounded, and out of the way while Redis is."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest
import structlog

from app.installation import _redis
from app.replicas.errors import Away
from app.replicas.link import ANSWER_S, RedisLink
from tests.app.replicas.conftest import SECRET, Linked
from tests.redis import redis_server

pytestmark = pytest.mark.redis


async def until_up(link: RedisLink) -> None:
    async with asyncio.timeout(20):
        while not link.up:
            await asyncio.sleep(0.02)


async def test_answers_belong_to_their_commands(linked: Linked) -> None:
    link = await linked()
    key = link.key("test", "counter")
    link.tell("SET", key, 0)
    answers = await asyncio.gather(*(link.ask("INCR", key) for _ in range(3000)))
    assert answers == list(range(1, 3001))


async def test_long_commands_are_answered_in_order_too(linked: Linked) -> None:
    link = await linked()
    long = b"x" * 2**20
    answers = await asyncio.gather(*(link.ask("ECHO", b"%d" % number + long) for number in range(30)))
    assert [answer[: -len(long)] for answer in answers] == [b"%d" % number for number in range(30)]


async def test_a_refused_command_is_refused_alone(linked: Linked) -> None:
    link = await linked()
    key = link.key("test", "word")
    await link.ask("SET", key, "no number")
    asked = [asyncio.ensure_future(link.ask(*command)) for command in (("INCR", key), ("GET", key))]
    with pytest.raises(Away):
        await asked[0]
    assert await asked[1] == b"no number"
    assert link.up


async def test_a_replica_is_alive_as_long_as_its_link(linked: Linked) -> None:
    link, other = await linked(), await linked()
    assert await other.ask("EXISTS", other.alive(link.name)) == 1
    await link.__aexit__()
    assert await other.ask("EXISTS", other.alive(link.name)) == 0


async def test_services_of_other_secrets_share_no_key(linked: Linked) -> None:
    link = await linked()
    stranger = RedisLink("redis://127.0.0.1:1", b"another secret")
    assert link.key("check", "x") != stranger.key("check", "x")
    await stranger._redis.aclose()


async def test_without_redis_at_the_start_the_link_comes_up_later(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        server.kill()
        async with RedisLink(server.url, SECRET) as link:
            assert not link.up
            assert link.outage.is_set()
            with pytest.raises(Away):
                await link.ask("PING")
            server.start()
            await until_up(link)
            assert not link.outage.is_set()
            assert await link.ask("PING") in (b"PONG", True)


async def test_a_redis_that_hangs_costs_its_first_callers_a_moment_and_later_ones_nothing(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        async with RedisLink(server.url, SECRET) as link:
            assert server.process is not None
            server.process.send_signal(signal.SIGSTOP)
            outage = link.outage
            clock = asyncio.get_running_loop().time
            begun = clock()
            asked = await asyncio.gather(*(link.ask("PING") for _ in range(500)), return_exceptions=True)
            assert all(isinstance(answer, Away) for answer in asked)
            assert clock() - begun < 4 * ANSWER_S
            assert outage.is_set()
            assert link.failures == 1
            for _ in range(1000):
                with pytest.raises(Away):
                    await link.ask("PING")
            server.process.send_signal(signal.SIGCONT)
            await until_up(link)
            assert await link.ask("ECHO", "still in step") == b"still in step"


async def test_who_goes_away_leaves_the_others_their_answers(linked: Linked) -> None:
    link = await linked()
    asked = [asyncio.ensure_future(link.ask("ECHO", number)) for number in range(100)]
    await asyncio.sleep(0)
    for task in asked[::2]:
        task.cancel()
    assert await asyncio.gather(*asked[1::2]) == [str(number).encode() for number in range(1, 100, 2)]


async def test_what_redis_says_is_told_by_the_log_the_parts_and_the_doctor(tmp_path: Path) -> None:
    """A wrong password looks like an outage, where nobody says which it is."""
    with redis_server(tmp_path) as server:
        async with RedisLink(server.url, SECRET) as link:
            await link.ask("CONFIG", "SET", "requirepass", "x" * 20)
        with structlog.testing.capture_logs() as lines:
            async with RedisLink(server.url, SECRET) as stranger:
                assert not stranger.up
                assert "uthentication" in stranger.why
        assert [line["error"] for line in lines if line["log_level"] == "warning"][-1] == stranger.why
        found = await _redis(server.url)
        assert not found.ok
        assert "uthentication" in found.detail
        assert (await _redis(server.url.replace("://", f"://:{'x' * 20}@"))).ok
