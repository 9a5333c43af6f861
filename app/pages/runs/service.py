"""Reads what the pages of runs show."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote

from pydantic import JsonValue

from app.kit.db import Database
from app.kit.slice import Slice
from app.pages.paths import run_path
from app.pages.runs.drawing import checkpoints, figures, restless, rows
from app.pages.runs.views import MarkRow, RunRow, RunsView, RunView, SeriesView
from app.recipes.repository import RecipesRepository
from app.runs.repository import RunsRepository
from app.runs.series import Series, SeriesRepository
from app.runs.service import Runs
from app.watch.repository import WatchRepository
from app.watch.service import WatchService
from trueward.types import Run

PAGE = 100
ALARMS = 50
MARKS = 50


async def listed(db: Database, begins: str, before: str | None) -> RunsView:
    """A page of runs, newest first; ``before`` is the id that the last page ended with."""
    found = await RunsRepository(db).beginning(begins, before, PAGE + 1)
    runs = found[:PAGE]
    names = await RecipesRepository(db).names({run.recipe for run in runs if run.recipe is not None})
    alarms = await WatchRepository(db).open_alarms([run.id for run in runs])
    shown = [_row(run, names, alarms.get(run.id, 0)) for run in runs]
    return RunsView(begins=begins, runs=shown, next=runs[-1].id if len(found) > PAGE else None)


async def shown(db: Database, runs: Runs, watches: WatchService, name: str) -> RunView:
    """Raises :class:`NotFound`."""
    run = await runs.show(name)
    repository = SeriesRepository(db)
    series = await repository.of_run(name)
    marks = await _marks(repository, run, series)
    names = await RecipesRepository(db).names({run.recipe} if run.recipe is not None else set())
    return RunView(
        run=run,
        recipe_name=names.get(run.recipe or ""),
        series=None if series is None else await _series(repository, name, series, marks),
        marks=marks,
        alarms=(await watches.alarms(name, None, Slice(limit=ALARMS))).alarms,
        status=await watches.status(name),
        watch=f"/v1/runs/{quote(name, safe='')}/watch",
    )


async def _series(repository: SeriesRepository, run: str, series: Series, marks: list[MarkRow]) -> SeriesView:
    total = await repository.size(run) if series.grain == "sampled" else series.counted
    return SeriesView(
        priced=series.priced,
        grain=series.grain,
        counted=series.counted,
        total=total,
        points=rows(series),
        figures=figures(series, marks),
        restless=restless(series),
    )


async def _marks(repository: SeriesRepository, run: Run, series: Series | None) -> list[MarkRow]:
    """What was recorded of the run, with the step that it was at, and its policy's checkpoints; by step."""
    told = run.marks[-MARKS:]
    moments = [datetime.fromisoformat(str(mark["at"])) for mark in told]
    steps = await repository.steps_at(run.id, moments)
    found = [
        MarkRow(kind=str(mark["kind"]), text=_text(mark), step=step, at=at)
        for mark, step, at in zip(told, steps, moments, strict=True)
    ]
    every = [*found, *(checkpoints(series) if series is not None else [])]
    return sorted(every, key=lambda mark: -1 if mark.step is None else mark.step)


def _text(mark: dict[str, JsonValue]) -> str:
    """A mark in words."""
    if mark["kind"] == "verifier_version":
        return f"{mark.get('verifier')} {mark.get('from')} to {mark.get('to')}"
    if mark["kind"] == "pin":
        moved = "" if mark.get("from") == mark.get("to") else f"recipe {str(mark.get('to'))[:15]}, "
        return f"{moved}{'strict, ' if mark.get('strict') else ''}{mark.get('reason')}"
    return str(mark["kind"])


def _row(run: Run, names: dict[str, str], alarms: int) -> RunRow:
    return RunRow(
        id=run.id,
        created_at=datetime.fromisoformat(run.created_at),
        recipe=run.recipe,
        recipe_name=names.get(run.recipe or ""),
        verifiers=run.verifiers,
        strict=run.strict,
        alarms=alarms,
        path=run_path(run.id),
    )
