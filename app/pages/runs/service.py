"""Reads what the pages of runs show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from app.audits.population import RUN as AUDITS
from app.audits.service import AuditsService
from app.kit.db import Database
from app.kit.paging import PageRange
from app.pages.audits.service import row_of
from app.pages.audits.views import AuditRow
from app.pages.paths import run_path
from app.pages.pickers import judges_rightness
from app.pages.runs.alarms import alarm_rows, jump_of, propose_since, ranges
from app.pages.runs.drawing import figures, restless, rows, spots_of
from app.pages.runs.marks import marks_of
from app.pages.runs.prompts import both_runs, pair_prompts, prompts_view
from app.pages.runs.samples import samples_of_point, samples_of_split
from app.pages.runs.views import BesideView, MarkRow, RunView, SeriesView
from app.recipes.repository import RecipesRepository
from app.runs.kept import CountedSeries
from app.runs.points import RunPoint
from app.runs.series import Series, SeriesRepository
from app.runs.service import Runs
from app.verdicts.filters import Kind
from app.watch.service import WatchService
from trueward.errors import NotFound
from trueward.wire.change import RunChanges
from trueward.wire.watch import Alarm, Freeze

ALARMS = 50
OTHERS = 50
AUDITS_OF_RUN = 5


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run's page: ``since`` which step responses are compared, and which run is laid over it."""

    run: str
    since: int | None = None
    beside: str | None = None


async def view_run(
    db: Database, runs: Runs, watches: WatchService, audits: AuditsService, freezes: Sequence[Freeze], asked: AskedRun
) -> RunView:
    """Raises :class:`NotFound`."""
    name = asked.run
    run = await runs.show(name)
    counted = await runs.series(name)
    series = counted.series if counted is not None else None
    marks = await marks_of(SeriesRepository(db), run, series)
    alarms = (await watches.alarms(name, None, PageRange(limit=ALARMS))).alarms
    jump = await jump_of(series)
    names = await RecipesRepository(db).names({run.recipe} if run.recipe is not None else set())
    laid = await runs.series(asked.beside) if asked.beside else None
    other = laid.series if laid is not None else None
    view = RunView(
        run=run,
        path=run_path(name),
        recipe_name=names.get(run.recipe or ""),
        freeze=next((one for one in freezes if one.recipe == run.recipe and one.lifted_at is None), None),
        series=None if counted is None else await _series(db, name, counted, marks, alarms),
        jump=jump,
        since=propose_since(alarms, jump) if asked.since is None else asked.since,
        changes=await _changes(runs, asked),
        beside=await _beside(db, asked.beside, series, other) if asked.beside else None,
        audits=await _audits(audits, name),
        labelled=list(filter(judges_rightness, run.verifiers)) or list(run.verifiers),
        others=[one.id for one in await runs.recent(OTHERS, without=AUDITS) if one.id != name],
        marks=marks,
        alarms=alarm_rows(name, alarms, series),
        status=await watches.status(name),
        watch=f"/v1/runs/{quote(name, safe='')}/watch",
    )
    if view.series is not None and series is not None and other is not None and asked.beside:
        path = _samples(asked.beside, other)
        both = both_runs(view.series.figures[0], other, asked.beside, spots_of(other, path))
        view.series.figures.insert(0, both)
    return view


async def _audits(audits: AuditsService, run: str) -> list[AuditRow]:
    found = await audits.measured_of_run(run, AUDITS_OF_RUN)
    rates = await audits.rates_of([one.id for one in found])
    return [row_of(one, rates.get(one.id)) for one in found]


async def _changes(runs: Runs, asked: AskedRun) -> RunChanges | None:
    """None where nothing is asked, or no record names a step."""
    if asked.since is None:
        return None
    try:
        return await runs.changes(asked.run, asked.since)
    except NotFound:
        return None


async def _beside(db: Database, beside: str, series: Series | None, other: Series | None) -> BesideView:
    missing = series is None or other is None
    found = await pair_prompts(db, series.prompts, other.prompts) if series is not None and other is not None else []
    return BesideView(run=beside, path=run_path(beside), missing=missing, twins=found)


def _kind(series: Series) -> Kind:
    return "reward" if series.priced else "verdict"


def _samples(run: str, series: Series) -> Callable[[RunPoint], str]:
    """The address of a point's samples."""
    return partial(samples_of_point, run, _kind(series), split="train" if series.evaluated else None)


async def _series(
    db: Database,
    run: str,
    counted: CountedSeries,
    marks: Sequence[MarkRow],
    alarms: Sequence[Alarm],
) -> SeriesView:
    series = counted.series
    path = _samples(run, series)
    return SeriesView(
        priced=series.priced,
        grain=series.grain,
        counted=series.counted,
        evaluated=series.evaluated,
        evaluations=samples_of_split(run, _kind(series), "eval"),
        total=counted.extent.records if series.grain == "sampled" else series.counted,
        points=rows(series, path),
        figures=figures(series, path, marks, ranges(alarms)),
        prompts=await prompts_view(db, series.prompts),
        restless=restless(series),
    )
