"""Reads what the pages of runs show."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote

from pydantic import JsonValue

from app.kit.db import Database
from app.pages.runs.drawing import checkpoints, figures, restless, rows
from app.pages.runs.views import MarkRow, RunView, SeriesView
from app.recipes.repository import RecipesRepository
from app.runs.series import Series, SeriesRepository
from app.runs.service import Runs
from app.watch.service import WatchService
from trueward.types import Run

ALARMS = 50
MARKS = 50


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
        alarms=(await watches.alarms(name, None, None, ALARMS)).alarms,
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
