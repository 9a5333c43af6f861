"""Watches that are evaluated on both databases: one open alarm a run, signal and cause; closing, freezing, failing."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from app.kit.background import Refresher
from app.kit.claim import claim
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.projects.visibility import EVERYTHING
from app.runs.repository import RunsRepository
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from app.watch.service import WatchService
from tests.app.watch.recording import RECIPE, entry, record
from trueward.errors import Conflict, InvalidRequest, NotFound, RecipeFrozen
from trueward.wire.run import Run
from trueward.wire.watch import WatchRequest

SIZE = 32


def _steps(first: int, count: int, broken: bool) -> list[list[Any]]:
    def one(step: int, place: int) -> Any:
        bad = broken and place % 2
        outcome, code = ("invalid", "resource_limit") if bad else ("correct" if place % 3 else "incorrect", "equal")
        return entry(f"prompt {step} {place // 4}", f"answer {step} {place}", outcome, code=code)

    return [[one(step, place) for place in range(SIZE)] for step in range(first, first + count)]


def _watch(**fields: Any) -> WatchRequest:
    body = {"run": "r", "every_s": 1, "window": SIZE, "base_windows": 3, "signals": {"score_drift": None}}
    return WatchRequest.model_validate(body | fields)


@pytest.fixture
async def freezes(db: Database) -> FrozenRecipes:
    return FrozenRecipes(db)


@pytest.fixture
async def watches(db: Database, freezes: FrozenRecipes) -> WatchService:
    """Not started: the tests evaluate when they want to."""
    return WatchService(db, freezes, Metrics())


async def _evaluate(watches: WatchService, db: Database) -> None:
    """Now, whatever the time is."""
    for watch in (await watches.all()).watches:
        await watches.put(
            watch.name, WatchRequest(**watch.model_dump(include=set(WatchRequest.model_fields))), watch.owner
        )
    await watches.evaluate_due()


async def test_an_alarm_is_raised_once_and_seen_again(db: Database, watches: WatchService) -> None:
    await watches.put("w", _watch(), "somebody")
    await record(db, "r", _steps(0, 4, broken=False))
    await _evaluate(watches, db)
    assert (await watches.alarms(None, None, PageRange(limit=10))).alarms == []
    await record(db, "r", _steps(4, 2, broken=True), first=4)
    await _evaluate(watches, db)
    await _evaluate(watches, db)
    [alarm] = (await watches.alarms("r", "open", PageRange(limit=10))).alarms
    assert (alarm.finding.signal, alarm.finding.cause, alarm.seen) == ("invalid", "resource_limit", 2)
    assert alarm.finding.first_step == 4
    assert alarm.last_seen > alarm.first_seen
    assert (alarm.recipe, alarm.watch) == (RECIPE.hash, "w")


async def test_a_run_without_anything_new_is_not_looked_at_again(db: Database, watches: WatchService) -> None:
    await watches.put("w", _watch(every_s=1), None)
    await record(db, "r", [*_steps(0, 4, broken=False), *_steps(4, 2, broken=True)])
    await watches.evaluate_due()
    await asyncio.sleep(1.1)
    await watches.evaluate_due()
    [alarm] = (await watches.alarms(None, None, PageRange(limit=10))).alarms
    assert alarm.seen == 1


async def test_a_closed_alarm_comes_back_with_later_records_only(db: Database, watches: WatchService) -> None:
    await watches.put("w", _watch(), None)
    await record(db, "r", [*_steps(0, 4, broken=False), *_steps(4, 2, broken=True)])
    await _evaluate(watches, db)
    [alarm] = (await watches.alarms(None, None, PageRange(limit=10))).alarms
    closed = await watches.close(alarm.id, "known", "me")
    assert (closed.state, closed.closed_by, closed.close_reason) == ("closed", "me", "known")
    with pytest.raises(Conflict):
        await watches.close(alarm.id, "again", "me")
    await _evaluate(watches, db)
    assert (await watches.alarms(None, "open", PageRange(limit=10))).alarms == []
    await record(db, "r", _steps(6, 1, broken=True), first=6)
    await _evaluate(watches, db)
    [again] = (await watches.alarms(None, "open", PageRange(limit=10))).alarms
    assert again.id != alarm.id


async def test_a_watch_may_freeze_the_recipe_until_it_is_lifted(
    db: Database, watches: WatchService, freezes: FrozenRecipes
) -> None:
    await watches.put("w", _watch(action="freeze"), "owner")
    await record(db, "r", [*_steps(0, 4, broken=False), *_steps(4, 2, broken=True)])
    freezes.refuse_frozen(RECIPE.hash, "r")
    await _evaluate(watches, db)
    with pytest.raises(RecipeFrozen, match="resource_limit"):
        freezes.refuse_frozen(RECIPE.hash, None)
    freezes.refuse_frozen(RECIPE.hash, "audit:1")
    other = FrozenRecipes(db)
    async with other:
        with pytest.raises(RecipeFrozen):
            other.refuse_frozen(RECIPE.hash, "r")
    lifted = await freezes.lift(RECIPE.hash, "mended", "me")
    [alarm] = (await watches.alarms(None, None, PageRange(limit=10))).alarms
    assert (lifted.alarm, lifted.owner, lifted.lifted_by, lifted.lift_reason) == (alarm.id, "owner", "me", "mended")
    await _evaluate(watches, db)
    freezes.refuse_frozen(RECIPE.hash, "r")
    with pytest.raises(NotFound):
        await freezes.lift(RECIPE.hash, "twice", "me")
    assert [one.lifted_by for one in await freezes.all(EVERYTHING)] == ["me"]


async def test_a_recipe_can_be_frozen_by_hand_once(db: Database, freezes: FrozenRecipes) -> None:
    with pytest.raises(NotFound):
        await freezes.freeze(RECIPE.hash, "unknown", None, None)
    await record(db, "r", _steps(0, 1, broken=False))
    await freezes.freeze(RECIPE.hash, "by hand", None, None)
    with pytest.raises(Conflict):
        await freezes.freeze(RECIPE.hash, "again", None, None)
    assert freezes.count == 1


async def test_what_another_server_freezes_takes_hold(db: Database, freezes: FrozenRecipes) -> None:
    await record(db, "r", _steps(0, 1, broken=False))
    async with FrozenRecipes(db) as other, Refresher(db, [other]):
        await freezes.freeze(RECIPE.hash, "by hand", None, None)
        for _ in range(60):
            if other.count:
                break
            await asyncio.sleep(0.1)
        assert other.count == 1


async def test_a_prefix_watches_all_runs_that_begin_so(db: Database, watches: WatchService) -> None:
    await watches.put("w", _watch(run="exp_%*"), None)
    for run in ("exp_%1", "exp_%2", "EXP_%3", "expX%4", "audit:exp_%"):
        await record(db, run, [*_steps(0, 4, broken=False), *_steps(4, 2, broken=True)])
        await _pin(db, run)
    await _evaluate(watches, db)
    assert {alarm.run for alarm in (await watches.alarms(None, None, PageRange(limit=10))).alarms} == {
        "exp_%1",
        "exp_%2",
    }


async def test_a_watch_that_cannot_look_says_why_and_keeps_no_other(db: Database, watches: WatchService) -> None:
    await watches.put("a", _watch(base="nobody"), None)
    await watches.put("b", _watch(), None)
    await record(db, "r", [*_steps(0, 4, broken=False), *_steps(4, 2, broken=True)])
    await _evaluate(watches, db)
    shown = {one.name: one for one in (await watches.all()).watches}
    assert "nobody" in (shown["a"].failure or "")
    assert shown["b"].failure is None
    assert [alarm.watch for alarm in (await watches.alarms(None, None, PageRange(limit=10))).alarms] == ["b"]
    await watches.delete("a")
    with pytest.raises(NotFound):
        await watches.find("a")


async def test_a_clock_that_is_set_back_stops_no_watch(
    db: Database, watches: WatchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watches.put("w", _watch(every_s=3600), None)
    with monkeypatch.context() as ahead:
        ahead.setattr("app.watch.service.now", lambda: now() + timedelta(hours=7))
        await watches.evaluate_due()
    looked = (await watches.find("w")).evaluated_at
    await watches.evaluate_due()
    again = (await watches.find("w")).evaluated_at
    assert looked is not None
    assert again is not None
    assert again < looked
    await watches.evaluate_due()
    assert (await watches.find("w")).evaluated_at == again


async def test_one_server_evaluates_at_a_time(db: Database, watches: WatchService) -> None:
    await watches.put("w", _watch(), None)
    async with claim(db, "watches") as granted, watches:
        assert granted is not None
        await asyncio.sleep(0.3)
        evaluated = (await watches.find("w")).evaluated_at
        assert evaluated is not None if db.dialect == "sqlite" else evaluated is None


@pytest.mark.parametrize(
    "url", ["ftp://a/b", "http://", "http://169.254.169.254/latest", "http://[::ffff:169.254.1.1]/"]
)
async def test_a_webhook_that_is_not_to_be_called_is_refused_at_once(watches: WatchService, url: str) -> None:
    with pytest.raises(InvalidRequest, match="webhook"):
        await watches.put("w", _watch(webhook=url), None)


async def test_the_token_of_a_webhook_is_not_shown(watches: WatchService) -> None:
    shown = await watches.put("w", _watch(webhook="https://hooks.example.com/services/T0/secret?k=v"), None)
    assert shown.webhook == "https://hooks.example.com/***"
    assert "T0/secret" not in (await watches.all()).model_dump_json()


async def _pin(db: Database, run: str) -> None:
    await RunsRepository(db).save(Run(id=run), None)
