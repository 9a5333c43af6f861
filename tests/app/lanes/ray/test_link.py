"""The service's end of the way to a cluster: nothing waits for ever, or is lost without a word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.admission.demand import NONE
from app.lanes.ray.judging import judge_remotely
from app.lanes.ray.link import ItemLost, NoCluster, RayLink, Stopped, Unreachable
from trueward.wire.verdict import Outcome
from verifiers import registry

GATEWAY = "tests.app.lanes.ray.fake_gateway"


@pytest.fixture(autouse=True)
def _ray_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.lanes.ray.link.find_spec", lambda name: name)


@pytest.fixture
async def link() -> AsyncIterator[RayLink]:
    opened = RayLink("here", ["cpu"], GATEWAY)
    await opened.start()
    while opened.trouble():
        await asyncio.sleep(0.01)  # its gateway has not told of the replicas yet
    yield opened
    await opened.stop()


def soon(seconds: float = 30.0) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_what_is_asked_is_answered(link: RayLink) -> None:
    replies = await asyncio.gather(*(link.ask("cpu", "echo", b"%d" % n, soon()) for n in range(50)))
    assert replies == [b"[false, true]%d" % n for n in range(50)]


async def test_what_is_lost_is_sent_once_more_alone_and_then_given_up(link: RayLink) -> None:
    assert await link.ask("cpu", "lose once", b"", soon()) == b"[true, true]"
    with pytest.raises(ItemLost, match="its replica died"):
        await link.ask("cpu", "lose", b"", soon())


async def test_what_a_gateway_took_with_it_is_asked_of_the_next_and_what_ends_two_is_given_up(link: RayLink) -> None:
    held = asyncio.ensure_future(link.ask("cpu", "hold", b"", soon(60.0)))
    culprit = asyncio.ensure_future(link.ask("cpu", "die", b"", soon(60.0)))
    with pytest.raises(ItemLost):
        await culprit
    with pytest.raises(ItemLost):
        await held  # it was with both gateways that ended
    assert await link.ask("cpu", "echo", b"", soon(60.0)) == b"[false, true]"


async def test_a_deadline_passes_on_time(link: RayLink) -> None:
    verdict = await judge_remotely(link, "cpu", registry.create("math", {}), "task", soon(0.0), NONE)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.TIMEOUT, None, "deadline")
    with pytest.raises(TimeoutError):
        await link.ask("cpu", "hold", b"", soon(0.2))


async def test_a_lane_without_replicas_is_named(link: RayLink) -> None:
    link.stats = {"cpu": []}
    with pytest.raises(Unreachable, match="no replica of cpu answers"):
        await link.ask("cpu", "hold", b"", soon(0.1))
    with pytest.raises(RuntimeError, match="no replica of cpu answers"):
        await link.probe()


async def test_when_there_is_no_more_time_what_waits_ends_at_once(link: RayLink) -> None:
    waits = asyncio.ensure_future(link.ask("cpu", "hold", b"", soon()))
    await asyncio.sleep(0)
    link.shed("cpu")
    with pytest.raises(Stopped):
        await waits
    verdict = await judge_remotely(link, "cpu", registry.create("math", {}), "task", soon(), NONE)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "shutdown")


async def test_a_reply_that_is_no_verdict_scores_nothing(link: RayLink) -> None:
    verdict = await judge_remotely(link, "cpu", registry.create("math", {}), "task", soon(), NONE)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "verifier_crashed")


async def test_no_cluster_is_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoCluster, match="TRUEWARD_RAY_ADDRESS=refuse: nobody there"):
        await RayLink("refuse", ["cpu"], GATEWAY).start()
    monkeypatch.setattr("app.lanes.ray.link.find_spec", lambda name: None)
    with pytest.raises(NoCluster, match="not installed"):
        await RayLink("here", ["cpu"], GATEWAY).start()
