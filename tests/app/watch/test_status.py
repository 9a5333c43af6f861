"""What watches a run: nothing, a watch that has not looked, one that finds nothing, one with alarms."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.db import Database
from app.runs.repository import RunsRepository
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from app.watch.service import WatchService
from tests.app.watch.recording import entry, record
from trueward.errors import NotFound
from trueward.wire.run import Run
from trueward.wire.watch import WatchRequest


def _steps(count: int, outcome: str | None = None) -> list[list[Any]]:
    def one(step: int, place: int) -> Any:
        made = outcome or ("correct" if (place + place // 8 + step) % 3 else "incorrect")
        code = "no_reference" if outcome else "equal"
        return entry(f"prompt {step} {place // 8}", f"answer {step:02d} {place:02d}", made, code=code)

    return [[one(step, place) for place in range(64)] for step in range(count)]


async def _recorded(db: Database, run: str, steps: list[list[Any]]) -> None:
    await record(db, run, steps)
    await RunsRepository(db).save(Run(id=run), None)


@pytest.fixture
async def watches(db: Database) -> WatchService:
    return WatchService(db, FrozenRecipes(db), Metrics(), by_default=True)


async def test_a_run_that_nothing_watches_is_not_clear(db: Database) -> None:
    alone = WatchService(db, FrozenRecipes(db), Metrics())
    await _recorded(db, "r", _steps(2))
    await alone.evaluate_due()
    status = await alone.status("r")
    assert (status.state, status.watches) == ("unwatched", [])
    assert "Nothing is watching" in status.sentence
    assert await alone.watching() == "Nothing is watching: no alarm means nothing."


async def test_the_default_watch_looks_at_every_run(db: Database, watches: WatchService) -> None:
    await _recorded(db, "healthy", _steps(6))
    await _recorded(db, "broken", _steps(6, "abstained"))
    assert (await watches.status("healthy")).state == "waiting"
    await watches.evaluate_due()
    clear, alarm = await watches.status("healthy"), await watches.status("broken")
    assert (clear.state, clear.watches, clear.records, clear.step) == ("clear", ["default"], 384, 5)
    assert clear.looked_at is not None
    assert clear.sentence.startswith("No alarm is open. The default watch looked at 384 records until step 5")
    assert alarm.state == "alarm"
    assert [(one.finding.signal, one.finding.cause) for one in alarm.alarms] == [("missing", "no_reference")]
    assert alarm.alarms[0].finding.found_step == 0


async def test_a_longer_run_is_told_how_soon_a_fault_would_be_found(db: Database, watches: WatchService) -> None:
    await _recorded(db, "r", _steps(20))
    await watches.evaluate_due()
    status = await watches.status("r")
    assert status.state == "clear"
    told = {one.signal: one.steps for one in status.power}
    assert told["missing"] in range(1, 10)
    assert told["false_positives"] is None


async def test_a_stored_watch_stands_in_place_of_the_default_one(db: Database, watches: WatchService) -> None:
    await _recorded(db, "broken", _steps(6, "abstained"))
    await watches.put("mine", WatchRequest.model_validate({"run": "bro*", "signals": {"missing": None}}), None)
    await watches.evaluate_due()
    status = await watches.status("broken")
    assert (status.state, status.watches) == ("clear", ["mine"])
    await watches.delete("mine")
    assert (await watches.status("broken")).state == "waiting"


async def test_a_watch_that_could_not_look_is_not_clear(db: Database, watches: WatchService) -> None:
    await _recorded(db, "r", _steps(6))
    await watches.put("mine", WatchRequest(run="r", base="nobody"), None)
    await watches.evaluate_due()
    status = await watches.status("r")
    assert status.state == "waiting"
    assert "nobody" in status.sentence


async def test_a_short_run_is_waited_for(db: Database, watches: WatchService) -> None:
    await record(db, "r", [_steps(1)[0][:20]])
    await RunsRepository(db).save(Run(id="r"), None)
    await watches.evaluate_due()
    status = await watches.find_status("r")
    assert status.state == "waiting"
    assert "64 records" in status.sentence
    with pytest.raises(NotFound):
        await watches.find_status("nobody")
