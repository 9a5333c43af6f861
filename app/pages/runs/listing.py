"""The list of runs: newest first or by a column, each with what its records tell, a page at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from urllib.parse import quote, urlencode

from pydantic import Field

from app.kit.db import Database
from app.pages.paths import run_path
from app.recipes.repository import RecipesRepository
from app.runs.activity import COUNTED, Activity, ActivityRepository
from app.runs.repository import RunFilter, RunsRepository
from app.watch.repository import WatchRepository
from trueward.wire.base import Wire
from trueward.wire.run import Run

PATH = "/ui/runs"
PAGE = 50
MOST_SORTED = 500
"""Runs that are sorted by a column that no index has."""
Order = Literal["ascending", "descending"]
SortKey = Literal["name", "step", "records", "reward", "activity", "began"]
_COLUMNS: tuple[tuple[SortKey, str], ...] = (
    ("name", "run"),
    ("step", "step"),
    ("records", "records"),
    ("reward", "mean of last 100"),
    ("activity", "last activity"),
    ("began", "began"),
)
Value = str | float


class RunRow(Wire):
    """A run of the list. ``recipe`` is the hash that is pinned; ``frozen``: its rewards are refused."""

    id: str
    path: str
    created_at: datetime
    recipe: str | None
    recipe_name: str | None
    verifiers: dict[str, str]
    strict: bool
    alarms: int = Field(description="that are open")
    frozen: bool
    records: int = Field(description="rewards, or verdicts of a run without; 10,001 for more than 10,000")
    step: int | None = Field(description="the greatest")
    last_at: datetime | None = Field(description="when the last record was made")
    priced: bool = Field(description="`mean` and `course` are of rewards, else of scores")
    mean: float | None = Field(description="of the last records, at most 100; no evaluations where the run trains")
    missing: float = Field(description="share of these without a score")
    course: list[float | None] = Field(description="means of at most 24 places over the run's time, oldest first")


class ListColumn(Wire):
    """``path`` sorts by it, or turns the order round."""

    key: SortKey
    title: str
    path: str
    sorted: Order | None


class RunsView(Wire):
    name: str = Field(description="what the ids hold")
    audits: bool = Field(description="the runs that audits made, and no others")
    runs: list[RunRow]
    columns: list[ListColumn]
    among: int | None = Field(description="how many of the newest runs were sorted, where there are more")
    next: str | None = Field(description="path of the next page; null on the last")
    others: str = Field(description="path of the runs of audits, or back from there")


class RunListQuery(NamedTuple):
    """What the address asks for. ``after`` is the run that the last page ended with."""

    name: str = ""
    audits: bool = False
    sort: SortKey = "began"
    order: Order = "descending"
    after: str | None = None

    @property
    def wanted(self) -> RunFilter:
        return RunFilter(self.name, self.audits)

    def path(self) -> str:
        plain = RunListQuery()
        told = {name: value for name, value in self._asdict().items() if value != getattr(plain, name)}
        told = {name: "true" if value is True else value for name, value in told.items()}
        return f"{PATH}?{urlencode(told, quote_via=quote, safe='')}" if told else PATH


async def view_runs(db: Database, asked: RunListQuery, frozen: Collection[str]) -> RunsView:
    """``frozen`` are hashes of recipes."""
    repository, activity = RunsRepository(db), ActivityRepository(db)
    by_name = (asked.sort, asked.order) == ("name", "ascending")
    among = None
    if by_name or (asked.sort, asked.order) == ("began", "descending"):
        found = await repository.list_runs(asked.wanted, asked.after, PAGE + 1, by_name)
    else:
        candidates = await repository.list_runs(asked.wanted, None, MOST_SORTED + 1)
        among = MOST_SORTED if len(candidates) > MOST_SORTED else None
        found = await _by_column(activity, candidates[:MOST_SORTED], asked)
    runs = found[:PAGE]
    return RunsView(
        name=asked.name,
        audits=asked.audits,
        runs=await rows(db, runs, frozen),
        columns=[_column(asked, key, title) for key, title in _COLUMNS],
        among=among,
        next=asked._replace(after=runs[-1].id).path() if len(found) > PAGE else None,
        others=RunListQuery(audits=not asked.audits).path(),
    )


async def rows(db: Database, runs: Sequence[Run], frozen: Collection[str]) -> list[RunRow]:
    """In the order of the runs."""
    activity = ActivityRepository(db)
    known = await activity.extents([run.id for run in runs])
    await activity.scores(known)
    await activity.courses(known)
    names = await RecipesRepository(db).names([run.id for run in runs])
    alarms = await WatchRepository(db).open_alarms([run.id for run in runs])
    return [
        RunRow(
            id=run.id,
            path=run_path(run.id),
            created_at=datetime.fromisoformat(run.created_at),
            recipe=run.recipe,
            recipe_name=names.get(run.id),
            verifiers=run.verifiers,
            strict=run.strict,
            alarms=alarms.get(run.id, 0),
            frozen=run.recipe in frozen,
            **_activity_fields(known.get(run.id)),
        )
        for run in runs
    ]


def _activity_fields(activity: Activity | None) -> dict[str, object]:
    if activity is None:
        return {"records": 0, "step": None, "last_at": None, "priced": False, "mean": None, "missing": 0, "course": []}
    return {
        "records": activity.records,
        "step": activity.step,
        "last_at": activity.last_at,
        "priced": activity.priced,
        "mean": activity.score,
        "missing": activity.missing,
        "course": activity.course,
    }


async def _by_column(repository: ActivityRepository, runs: Sequence[Run], asked: RunListQuery) -> list[Run]:
    """From behind the run ``after``; those without a value come last."""
    known = await repository.extents([run.id for run in runs])
    if asked.sort == "reward":
        await repository.scores(known)
    values = {run.id: _value(run, known.get(run.id), asked.sort) for run in runs}
    having = [run for run in runs if values[run.id] is not None]
    having.sort(key=lambda run: (values[run.id], run.id), reverse=asked.order == "descending")
    ordered = [*having, *(run for run in runs if values[run.id] is None)]
    ids = [run.id for run in ordered]
    if asked.after is None:
        return ordered
    return ordered[ids.index(asked.after) + 1 :] if asked.after in ids else []


def _value(run: Run, activity: Activity | None, key: SortKey) -> Value | None:
    if key == "name":
        return run.id
    if key == "began":
        return run.created_at
    if activity is None:
        return None
    told: dict[SortKey, Value | None] = {
        "step": activity.step,
        "records": activity.records,
        "reward": activity.score,
        "activity": activity.last,
    }
    return told[key]


def _column(asked: RunListQuery, key: SortKey, title: str) -> ListColumn:
    here = asked.sort == key
    first: Order = "ascending" if key == "name" else "descending"
    turned: Order = "ascending" if asked.order == "descending" else "descending"
    path = asked._replace(sort=key, order=turned if here else first, after=None).path()
    return ListColumn(key=key, title=title, path=path, sorted=asked.order if here else None)


def format_count(records: int) -> str:
    """As a page tells it."""
    return f"over {COUNTED:,}" if records > COUNTED else f"{records:,}"
