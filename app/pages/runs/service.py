"""Reads what the pages of runs show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import quote

from pydantic import JsonValue

from app.audits.population import RUN as AUDITS
from app.audits.service import AuditsService
from app.kit.db import Database
from app.kit.paging import PageRange
from app.pages.audits.service import row_of
from app.pages.audits.views import AuditRow
from app.pages.paths import run_path
from app.pages.pickers import judges_rightness
from app.pages.runs.alarms import alarm_rows, jump_of, propose_since, ranges
from app.pages.runs.drawing import checkpoints, figures, restless, rows, spots_of
from app.pages.runs.plots.colours import OURS
from app.pages.runs.plots.figure import RunFigure, Spot
from app.pages.runs.samples import sample_path, samples_of_point, samples_of_split
from app.pages.runs.views import BesideView, MarkRow, PromptLine, PromptsView, RunView, SeriesView, Twin
from app.recipes.repository import RecipesRepository
from app.runs.contents import contents_of, prompt_of, response_of
from app.runs.kept import CountedSeries
from app.runs.points import RunPoint
from app.runs.prompt_rates import PromptRate, PromptRates
from app.runs.series import Series, SeriesRepository
from app.runs.service import Runs
from app.verdicts.filters import Kind
from app.watch.service import WatchService
from trueward.errors import NotFound
from trueward.wire.audit import FigureLine
from trueward.wire.change import RunChanges
from trueward.wire.run import Run
from trueward.wire.watch import Alarm, Freeze

ALARMS = 50
OTHERS = 50
AUDITS_OF_RUN = 5
MARKS = 50
TWINS = 6
_TEXT = 300
_RESPONSE = 1500


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
    names = await RecipesRepository(db).names([name])
    laid = await runs.series(asked.beside) if asked.beside else None
    other = laid.series if laid is not None else None
    view = RunView(
        run=run,
        path=run_path(name),
        recipe_name=names.get(name),
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


async def marks_of(repository: SeriesRepository, run: Run, series: Series | None) -> list[MarkRow]:
    """With the step that the run was at, by step."""
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
    if mark["kind"] == "model_reported":
        return f"{mark.get('model')} says it is {mark.get('to')}"
    if mark["kind"] == "pin":
        moved = "" if mark.get("from") == mark.get("to") else f"recipe {str(mark.get('to'))[:15]}, "
        return f"{moved}{'strict, ' if mark.get('strict') else ''}{mark.get('reason')}"
    return str(mark["kind"])


async def prompts_view(db: Database, rates: PromptRates) -> PromptsView:
    ends = (rates.worst, rates.best, rates.flat)
    contents = await contents_of(db, {one.sample for part in ends for one in part})
    worst, best, flat = ([_row(one, contents) for one in part] for part in ends)
    counts = {"never_right": rates.never_right, "always_right": rates.always_right}
    return PromptsView(passed=rates.passed, prompts=rates.prompts, worst=worst, best=best, flat=flat, **counts)


def _row(one: PromptRate, contents: Mapping[str, str]) -> PromptLine:
    return PromptLine(
        text=prompt_of(contents.get(one.sample))[:_TEXT] or one.prompt,
        path=sample_path(one.record),
        records=one.records,
        rate=one.rate,
        rates=one.rates,
        varies=one.varies,
    )


async def pair_prompts(db: Database, ours: PromptRates, theirs: PromptRates) -> list[Twin]:
    """Prompts of both runs, those first on which they differ most, with the latest response of each."""
    both = sorted(
        ours.every.keys() & theirs.every.keys(),
        key=lambda prompt: (-abs(ours.every[prompt].rate - theirs.every[prompt].rate), prompt),
    )[:TWINS]
    pairs = [(ours.every[prompt], theirs.every[prompt]) for prompt in both]
    contents = await contents_of(db, {one.sample for pair in pairs for one in pair})
    return [
        Twin(
            prompt=prompt_of(contents.get(our.sample))[:_TEXT],
            ours=response_of(contents.get(our.sample))[:_RESPONSE],
            theirs=response_of(contents.get(their.sample))[:_RESPONSE],
            our_path=sample_path(our.record),
            their_path=sample_path(their.record),
            our_rate=our.rate,
            their_rate=their.rate,
        )
        for our, their in pairs
    ]


def both_runs(shown: RunFigure, other: Series, beside: str, spots: list[Spot]) -> RunFigure:
    """The mean reward of both over their steps; ``spots`` lead to the other's samples where this run has none."""
    x = [spot.x for spot in spots]
    low, high = (
        [None if point.score_ends is None else point.score_ends[side] for point in other.points] for side in (0, 1)
    )
    y = [point.score for point in other.points]
    theirs = FigureLine(name=beside, x=x, y=y, low=low, high=high)
    known = {spot.x for spot in shown.spots}
    every = sorted([*shown.spots, *(spot for spot in spots if spot.x not in known)], key=lambda spot: spot.x)
    ours = shown.lines[0].model_copy(update={"name": OURS})
    update = {"title": f"Beside {beside}", "lines": [ours, theirs], "spots": every, "note": ""}
    return shown.model_copy(update=update)
