"""What waiting cures is waited for, what it does not is told at once; nobody waits for another model's troubles.

The server, the clock and the network are the test's: minutes take no time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import httpx2
import pytest

from benchmarks.patient.virtual import run
from judges.base import KeyRefused, Late, ModelBusy, ModelUnavailable
from judges.questions import Answer, Generate
from judges.remote import RemoteBackend
from trueward.wire.model import ModelEntry, RequestLimits

GOOD = b'{"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}'
Handler = Callable[[str, float], Awaitable[tuple[int, dict[str, str], bytes]]]
"""The model's name and the time; a status, headers and a body."""


class Wire(httpx2.AsyncBaseTransport):
    def __init__(self, handler: Handler) -> None:
        self.asked: list[tuple[str, float]] = []
        self._handler = handler

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        name = "two" if b'"two"' in await request.aread() else "one"
        now = asyncio.get_running_loop().time()
        self.asked.append((name, now))
        status, headers, body = await self._handler(name, now)
        return httpx2.Response(status, headers=headers, stream=httpx2.ByteStream(body))


async def ask(
    backend: RemoteBackend, within_s: float, name: str = "one", limits: RequestLimits | None = None
) -> Answer:
    entry = ModelEntry(name=name, kind="causal", backend="openai", url="http://far/v1", limits=limits)
    deadline = asyncio.get_running_loop().time() + within_s
    return await backend.ask(entry, Generate("a?", 5), deadline=deadline, flow="a")


def played(handler: Handler, work: Callable[[RemoteBackend], Coroutine[Any, Any, None]]) -> Wire:
    wire = Wire(handler)

    async def play() -> None:
        backend = RemoteBackend("openai", transport=wire)
        await work(backend)
        await backend.close()

    run(play())
    return wire


async def good(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
    await asyncio.sleep(1.0)
    return 200, {}, GOOD


async def many(count: int, asking: Callable[[], Coroutine[Any, Any, Answer]]) -> list[Answer | BaseException]:
    return await asyncio.gather(*(asking() for _ in range(count)), return_exceptions=True)


@pytest.mark.parametrize("outage_s", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("lost", [True, False])
def test_an_outage_is_waited_out_by_all_with_few_calls(outage_s: float, lost: bool) -> None:
    async def away(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        if now < outage_s and lost:
            raise httpx2.ConnectError("nobody there")
        return (503, {}, b"loading") if now < outage_s else await good(name, now)

    async def work(backend: RemoteBackend) -> None:
        found = await many(256, lambda: ask(backend, outage_s + 20.0))
        assert all(isinstance(one, Answer) for one in found)

    wire = played(away, work)
    assert len(wire.asked) <= 256 + 64 + 30


def test_who_leaves_a_slow_model_takes_it_from_nobody() -> None:
    async def slow(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        await asyncio.sleep(14.0)
        return 200, {}, GOOD

    async def work(backend: RemoteBackend) -> None:
        short = await many(12, lambda: ask(backend, 13.0))
        assert all(isinstance(one, Late) and one.asked_s > 12.0 and one.queued_s < 0.1 for one in short)
        assert all(isinstance(one, Answer) for one in await many(12, lambda: ask(backend, 20.0)))

    played(slow, work)


def test_a_dead_model_leaves_the_others_of_its_url_alone() -> None:
    async def half_dead(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        return (503, {}, b"dead") if name == "two" else await good(name, now)

    async def work(backend: RemoteBackend) -> None:
        dead, alive = await asyncio.gather(
            many(100, lambda: ask(backend, 30.0, "two")), many(100, lambda: ask(backend, 5.0))
        )
        assert all(isinstance(one, ModelUnavailable) for one in dead)
        assert all(isinstance(one, Answer) for one in alive)
        assert {name: one.state for name, one in (await backend.status()).items()} == {"one": "ready", "two": "failed"}

    played(half_dead, work)


def test_who_waits_is_told_what_the_server_said_and_not_that_it_was_slow() -> None:
    async def dead(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        return 503, {}, b"no memory left"

    async def work(backend: RemoteBackend) -> None:
        found = await many(20, lambda: ask(backend, 40.0))
        assert all(isinstance(one, ModelUnavailable) and "no memory left" in str(one) for one in found)

    played(dead, work)


def test_a_wait_that_one_is_told_holds_for_all_and_beyond_the_deadline_nobody_waits() -> None:
    async def full(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        return (429, {"retry-after": "20"}, b"later") if now < 20.0 else await good(name, now)

    async def work(backend: RemoteBackend) -> None:
        first = asyncio.ensure_future(ask(backend, 60.0))
        await asyncio.sleep(0.5)
        with pytest.raises(ModelBusy, match="left alone for 2"):
            await ask(backend, 10.0)
        assert asyncio.get_running_loop().time() < 1.0
        assert all(isinstance(one, Answer) for one in await many(5, lambda: ask(backend, 60.0)))
        await first

    wire = played(full, work)
    assert [now for _, now in wire.asked][1] >= 20.0
    assert len(wire.asked) == 7


def test_a_refused_key_costs_one_call_a_minute_until_it_is_mended() -> None:
    async def locked(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        return (402, {}, b'{"error": {"message": "no credit"}}') if now < 100.0 else await good(name, now)

    async def work(backend: RemoteBackend) -> None:
        for _ in range(10):
            with pytest.raises(KeyRefused, match="no credit"):
                await ask(backend, 60.0)
            assert (await backend.status())["one"].state == "failed"
            await asyncio.sleep(9.0)
        await asyncio.sleep(40.0)
        await ask(backend, 60.0)
        assert (await backend.status())["one"].state == "ready"

    wire = played(locked, work)
    assert len(wire.asked) == 3


def test_an_entrys_limits_are_kept() -> None:
    async def work(backend: RemoteBackend) -> None:
        limits = RequestLimits(requests_per_minute=60, at_once=4)
        found = await many(90, lambda: ask(backend, 60.0, limits=limits))
        assert all(isinstance(one, Answer) for one in found)

    wire = played(good, work)
    times = [now for _, now in wire.asked]
    assert max(sum(start <= now < start + 0.99 for now in times) for start in times) <= 4
    assert times[-1] >= 22.0


def test_between_two_tries_the_deadline_finds_what_the_server_said() -> None:
    async def dead(name: str, now: float) -> tuple[int, dict[str, str], bytes]:
        return 500, {}, b"out of memory"

    async def work(backend: RemoteBackend) -> None:
        for within_s in (0.05, 0.3, 0.7, 1.5, 2.2):
            with pytest.raises(ModelUnavailable, match="out of memory"):
                await ask(backend, within_s)

    played(dead, work)
