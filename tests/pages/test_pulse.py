"""The pulse: one reading for all viewers, only so many of them, and an end to each stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.kit.db import Database
from app.pages.environment import render_template
from app.pages.overview import live as pulse
from app.pages.overview.counts import percentile, since, together
from app.pages.overview.live import Pulse
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from app.watch.service import WatchService
from trueward.errors import Unavailable
from trueward.wire.verdict import Outcome, Producer, Verdict


@pytest.fixture
async def beating(db: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Pulse, Metrics]]:
    monkeypatch.setattr(pulse, "EVERY_S", 0.01)
    metrics = Metrics()
    watches = WatchService(db, FrozenRecipes(db), metrics)  # not entered: nothing is evaluated
    async with Pulse(metrics, watches) as made:
        yield made, metrics


async def always() -> bool:
    return True


async def read(found: Pulse, session: str = "") -> list[str]:
    return [message async for message in found.events(found.admit(session), always)]


async def until_watched(found: Pulse, viewers: int) -> None:
    while len(found._viewers) < viewers:
        await asyncio.sleep(0)


async def test_a_reading_holds_the_page_and_the_latest_point(beating: tuple[Pulse, Metrics]) -> None:
    found, metrics = beating
    producer = Producer(name="exact", version="1", params="sha256:0")
    said = Verdict(outcome=Outcome.TIMEOUT, score=None, reason_code="<b>", producer=producer)
    metrics.count_verdicts([said], "r")
    events = found.events(found.admit(""), always)
    assert await anext(events) == "retry: 3000\n\n"
    message = await anext(events)
    assert message.startswith('event: pulse\ndata: {"html"')
    assert message.endswith("\n\n")
    assert "&lt;b&gt;" in message
    assert "<b>" not in message
    await events.aclose()


@pytest.mark.parametrize(("null", "marked"), [(0, False), (2, False), (3, True)])
async def test_a_share_of_null_scores_above_one_percent_is_marked(
    beating: tuple[Pulse, Metrics], null: int, marked: bool
) -> None:
    """Of 200 verdicts; what waits for a person stands before what is counted."""
    found, metrics = beating
    producer = Producer(name="exact", version="1", params="sha256:0")
    late = Verdict(outcome=Outcome.TIMEOUT, score=None, reason_code="deadline", producer=producer)
    right = Verdict(outcome=Outcome.CORRECT, score=1.0, reason_code="equal", producer=producer)
    before = await found.view()
    metrics.count_verdicts([late] * null + [right] * (200 - null), "r")
    after = await found.view()
    assert after.recent_verdicts - before.recent_verdicts == 200
    page = render_template("overview/live.html", view=after)
    assert ("above 1%" in page) is marked
    assert page.index("Open alarms") < page.index("Verdicts a second")


async def test_only_so_many_look_on(beating: tuple[Pulse, Metrics], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "MOST_VIEWERS", 2)
    found, _ = beating
    streams = [found.events(found.admit(""), always) for _ in range(2)]
    for stream in streams:
        await anext(stream)
    with pytest.raises(Unavailable):
        found.admit("")
    await streams[0].aclose()
    found.admit("")
    await streams[1].aclose()


async def test_a_stream_that_never_began_takes_no_place(
    beating: tuple[Pulse, Metrics], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "MOST_VIEWERS", 1)
    found, _ = beating
    await found.events(found.admit(""), always).aclose()
    found.admit("")


async def test_a_stream_ends_after_a_while(beating: tuple[Pulse, Metrics], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "LONGEST_S", 0.0)
    assert await read(beating[0]) == ["retry: 3000\n\n"]


async def test_a_stream_ends_when_it_is_refused_with_its_session_and_with_the_service(
    beating: tuple[Pulse, Metrics],
) -> None:
    found, _ = beating

    async def never() -> bool:
        return False

    assert [message async for message in found.events(found.admit(""), never)] == ["retry: 3000\n\n"]
    mine, other = (asyncio.create_task(read(found, session)) for session in ("a", "b"))
    await until_watched(found, 2)
    found.leave("a")
    await mine
    assert not other.done()
    found.close()
    await other
    with pytest.raises(Unavailable):
        found.admit("")
    assert found._viewers == set()


async def test_a_stream_without_a_session_is_not_ended_by_a_signing_out(beating: tuple[Pulse, Metrics]) -> None:
    found, _ = beating
    reader = asyncio.create_task(read(found))
    await until_watched(found, 1)
    found.leave("")
    await asyncio.sleep(0.05)
    assert not reader.done()
    found.close()
    await reader


async def test_alarms_are_not_known_without_the_database(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = Metrics()
    watches = WatchService(db, FrozenRecipes(db), metrics)

    async def down(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(watches, "alarms", down)
    async with Pulse(metrics, watches) as found:
        assert (await found.view()).alarms is None


def test_a_percentile_lies_within_its_bucket() -> None:
    buckets = {0.001: 0.0, 0.01: 10.0, 0.1: 10.0, float("inf"): 10.0}
    assert percentile(buckets, 0.5) == pytest.approx(0.0055)
    assert percentile({0.001: 0.0, 0.1: 0.0, float("inf"): 4.0}, 0.5) == 0.1
    assert percentile({0.1: 0.0, float("inf"): 0.0}, 0.5) is None
    assert percentile({}, 0.5) is None
    assert since({0.1: 5.0, 1.0: 9.0}, {0.1: 2.0}) == {0.1: 3.0, 1.0: 9.0}


def test_counts_of_several_are_added_by_bucket() -> None:
    assert together([{0.1: 1.0, 1.0: 4.0}, {1.0: 2.0}]) == {0.1: 1.0, 1.0: 6.0}
