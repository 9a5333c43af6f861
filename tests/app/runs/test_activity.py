"""What a list tells of runs, on both databases: counted within bounds, from their rewards or else their verdicts."""

from __future__ import annotations

import random

import pytest

from app.kit.clock import now
from app.kit.db import Database
from app.projects.visibility import Sight
from app.runs import activity
from app.runs.activity import Activity, ActivityRepository
from app.runs.repository import RunFilter, RunsRepository
from app.runs.series import SeriesRepository
from tests.app.watch.recording import RECIPE, entry, record
from trueward.wire.run import Run
from trueward.wire.sample import Split


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


SCHEDULES = {
    "train": "tttttttttttt",
    "eval now and then": "ttettettette",
    "eval at the end": "tttttttteeee",
    "eval at the start": "eeeeeeeettte",
    "one step trains": "eeeeeteeeeee",
    "eval alone": "eeeeeeeeeeee",
}


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
@pytest.mark.parametrize("priced", [True, False])
async def test_means_are_of_the_records_that_the_page_of_the_run_counts(
    db: Database, monkeypatch: pytest.MonkeyPatch, schedule: str, priced: bool
) -> None:
    """Evaluations have other scores here than training has, so a mean over both shows."""
    monkeypatch.setattr(activity, "PLACES", 6)
    monkeypatch.setattr(activity, "A_PLACE", 3)
    draw = random.Random(schedule)
    for step, kind in enumerate(schedule):
        scores = [draw.uniform(0, 0.4) if kind == "t" else draw.uniform(0.6, 1) for _ in range(draw.randint(1, 8))]
        entries = [entry("p", f"{step} {score}", "partial", score=score) for score in scores]
        split: Split = "train" if kind == "t" else "eval"
        await record(db, "r", [entries], recipe=RECIPE if priced else None, first=step, split=split)
    found = (await told(db, "r"))["r"]
    series = await SeriesRepository(db).of_run("r")
    assert series is not None
    assert found.records == series.counted + series.evaluated
    assert found.recent == series.counted
    means = [point.score for point in series.points if point.score is not None]
    sizes = [point.records for point in series.points]
    mean = sum(mean * size for mean, size in zip(means, sizes, strict=True)) / sum(sizes)
    assert found.score == pytest.approx(mean)
    assert found.course
    assert all(one is not None and (one < 0.5) is ("t" in schedule) for one in found.course)


async def test_what_is_looked_at_for_a_record_that_trains_is_bounded(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = {"COUNTED": 10, "NEAR": 6, "RECENT": 4, "PLACES": 2, "A_PLACE": 2, "A_STRETCH": 3}
    for name, value in bounds.items():
        monkeypatch.setattr(activity, name, value)
    trained = [entry("p", f"{number}", "incorrect") for number in range(9)]
    evaluated = [entry("q", f"{number}") for number in range(9)]
    await record(db, "r", [trained])
    await record(db, "r", [evaluated], first=1, split="eval")
    found = (await told(db, "r"))["r"]
    assert (found.records, found.recent, found.score) == (11, 1, 0.0), "the newest ten have one that trains"
    assert set(found.course) == {0.0}
    await record(db, "r", [[entry("q", "the tenth")]], first=2, split="eval")
    assert (await told(db, "r"))["r"].score == 1.0, "none of the newest ten"


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
