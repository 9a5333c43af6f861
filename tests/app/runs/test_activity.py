"""What a list tells of runs, on both databases: counted within bounds, from their rewards or else their verdicts."""

from __future__ import annotations

import pytest

from app.kit.clock import now
from app.kit.db import Database
from app.projects.visibility import Sight
from app.runs import activity
from app.runs.activity import Activity, ActivityRepository
from app.runs.repository import RunFilter, RunsRepository
from tests.app.watch.recording import entry, record
from trueward.wire.run import Run


async def told(db: Database, *runs: str) -> dict[str, Activity]:
    repository = ActivityRepository(db)
    found = await repository.extents(runs)
    await repository.scores(found)
    await repository.courses(found)
    return found


async def test_each_run_has_its_own_numbers(db: Database) -> None:
    late = entry("p", "z", "timeout", code="deadline")
    await record(db, "a", [[entry("p", "x", "correct"), entry("p", "y", "incorrect")], [late, entry("p", "w")]])
    await record(db, "b", [[entry("p", "v", "incorrect")]], first=7)
    await record(db, "c", [[entry("p", "u", "partial", score=0.5)]], recipe=None)
    found = await told(db, "a", "b", "c", "nobody")
    assert sorted(found) == ["a", "b", "c"]
    assert [(one.priced, one.records, one.step) for one in found.values()] == [
        (True, 4, 1),
        (True, 1, 7),
        (False, 1, 0),
    ]
    assert (found["a"].recent, found["a"].missing) == (4, 0.25)
    assert found["a"].score == pytest.approx(2 / 3)
    assert (found["b"].score, found["c"].score) == (0.0, 0.5)
    assert abs((now() - found["a"].last_at).total_seconds()) < 60


async def test_no_more_than_the_bounds_is_read(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("COUNTED", 10), ("RECENT", 4), ("PLACES", 3), ("A_PLACE", 2)):
        monkeypatch.setattr(activity, name, value)
    await record(db, "r", [[entry("p", f"{step}", "correct" if step > 15 else "incorrect")] for step in range(20)])
    found = (await told(db, "r"))["r"]
    assert (found.records, found.step, found.recent, found.score) == (11, 19, 4, 1.0)
    assert 1 <= len(found.course) <= 3
    assert found.course[0] == 0.0


async def test_a_project_sees_nothing_of_runs_that_are_none_of_its_own(db: Database) -> None:
    await record(db, "r", [[entry("p", "x")]])
    assert await told(Sight("another").of(db), "r") == {}
    assert list(await told(Sight().of(db), "r")) == ["r"]


async def test_runs_are_found_by_a_part_of_their_name_whatever_its_case(db: Database) -> None:
    repository = RunsRepository(db)
    for name in ("grpo/Loose", "grpo/100%", "audit:grpo/loose"):
        await repository.save(Run(id=name, recipe=None, verifiers={}, strict=False, created_at=""), None)

    async def names(wanted: RunFilter) -> list[str]:
        return [run.id for run in await repository.list_runs(wanted, None, 10, by_name=True)]

    assert await names(RunFilter("lOOSe")) == ["grpo/Loose"]
    assert await names(RunFilter("%")) == ["grpo/100%"]
    assert await names(RunFilter("loose", audits=True)) == ["audit:grpo/loose"]
    assert await names(RunFilter()) == ["grpo/100%", "grpo/Loose"]
