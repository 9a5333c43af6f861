"""A run's rewards over its steps, on both databases: counted whole where the run is short, else in even parts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.kit.clock import now
from app.kit.db import Database
from app.path.rows import Entry
from app.runs import series
from app.runs.series import SeriesRepository
from tests.app.watch.recording import entry, record


def group(step: int, right: int, size: int = 4, **fields: Any) -> list[Entry]:
    """A group with so many right answers, of responses of ``step + 1`` characters."""
    kinds = ["correct"] * right + ["incorrect"] * (size - right)
    return [entry("p", "x" * (step + 1), kind, group=f"g{step}", **fields) for kind in kinds]


async def test_a_short_run_is_counted_whole_a_point_a_step(db: Database) -> None:
    missing = entry("p", "y", "timeout", code="deadline", group="other")
    hung = entry("p", "z", "invalid", code="resource_limit", group="other")
    await record(db, "r", [group(0, 1), [*group(1, 4), missing, hung]])
    found = await SeriesRepository(db).of_run("r")
    assert found is not None
    assert (found.priced, found.grain, found.counted) == (True, "steps", 10)
    first, second = found.points
    assert (first.first_step, first.last_step, first.records, first.missing) == (0, 0, 4, 0)
    assert (first.score, first.components, first.groups, first.flat, first.length) == (0.25, {"math": 0.25}, 1, 0, 1.0)
    assert (second.records, second.missing, second.groups, second.flat) == (6, 1, 1, 1)
    assert second.score == pytest.approx(0.8)
    assert second.causes == {"missing: deadline": 1, "invalid: resource_limit": 1}


async def test_many_steps_share_points_and_nothing_is_left_out(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "POINTS", 4)
    await record(db, "r", [group(step, step % 5) for step in range(10)])
    found = await SeriesRepository(db).of_run("r")
    assert found is not None
    assert [(point.first_step, point.last_step) for point in found.points] == [(0, 2), (3, 5), (6, 8), (9, 9)]
    assert [point.groups for point in found.points] == [3, 3, 3, 1]
    assert found.counted == 40


async def test_a_long_run_is_read_in_even_parts(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("POINTS", 5), ("A_POINT", 4), ("MOST", 20)):
        monkeypatch.setattr(series, name, value)
    await record(db, "r", [group(step, 2) for step in range(30)])
    repository = SeriesRepository(db)
    found = await repository.of_run("r")
    assert found is not None
    assert found.grain == "sampled"
    assert 1 < len(found.points) <= 5
    assert found.counted <= 20
    assert all(point.records <= 4 for point in found.points)
    starts = [point.first_step for point in found.points]
    assert starts == sorted(starts, key=lambda step: step or 0)
    assert starts[0] == 0
    extent = await repository.extent("r")
    assert extent is not None
    assert extent.records == 120


async def test_a_run_without_steps_is_counted_in_blocks(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "A_POINT", 3)
    await record(db, "r", [group(0, 4)], first=0)
    async with db.write() as connection:
        await connection.exec_driver_sql("UPDATE rewards SET step = NULL")
    found = await SeriesRepository(db).of_run("r")
    assert found is not None
    assert found.grain == "records"
    assert [point.records for point in found.points] == [3, 1]


async def test_a_run_that_was_only_verified_has_scores_by_verifier(db: Database) -> None:
    both = [*group(0, 1), entry("p", "x", "correct", verifier="exact")]
    await record(db, "r", [both], recipe=None)
    found = await SeriesRepository(db).of_run("r")
    assert found is not None
    assert found.priced is False
    assert found.points[0].components == {"math": 0.25, "exact": 1.0}


async def test_a_moment_is_at_the_step_that_came_next(db: Database) -> None:
    repository = SeriesRepository(db)
    await record(db, "r", [group(0, 1), group(1, 1)])
    steps = await repository.steps_at("r", [datetime(2020, 1, 1, tzinfo=UTC), now().replace(year=2100)])
    assert steps == [0, None]


async def test_a_run_without_records_has_none(db: Database) -> None:
    assert await SeriesRepository(db).of_run("r") is None


async def test_evaluations_are_in_no_point_of_a_run_that_trains(db: Database) -> None:
    await record(db, "r", [group(0, 1), group(1, 2)])
    await record(db, "r", [group(0, 4, 12), group(1, 4)], split="eval")
    found = await SeriesRepository(db).of_run("r")
    assert found is not None
    assert (found.counted, found.evaluated) == (8, 16)
    assert [(point.first_step, point.score) for point in found.points] == [(0, 0.25), (1, 0.5)]


async def test_a_run_of_evaluations_alone_has_their_points(db: Database) -> None:
    await record(db, "r", [group(0, 1), group(1, 2)], split="eval")
    found = await SeriesRepository(db).of_run("r")
    assert found is not None
    assert (found.counted, found.evaluated, [point.score for point in found.points]) == (8, 0, [0.25, 0.5])
