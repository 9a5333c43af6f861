"""What a list tells of each run, from a bounded number of its records: how many, how far, when last, and how it went.

Of each run's rewards, or of its verdicts where nothing was priced, at most :data:`COUNTED` are counted, by their index.
The mean is that of the last :data:`RECENT`; the course is :data:`PLACES` places at even distances in time, each the
mean of :data:`A_PLACE` records in a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    SQLColumnExpression,
    Text,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.kit.tokens import LAST_ID, ids_between, moment_of
from app.runs.row_tables import make_table
from app.runs.series import Ledger
from app.tables import Reward as RewardTable
from app.tables import Verdict as VerdictTable

COUNTED = 10_000
RECENT = 100
PLACES = 24
A_PLACE = 16


@dataclass(slots=True)
class Activity:
    """``records`` is one more than :data:`COUNTED` where there are more. ``score`` is the mean of the last ``recent``
    records that have one, ``missing`` the share of these without; ``course`` are means, oldest first."""

    priced: bool
    records: int
    step: int | None
    first: str
    last: str
    since: str
    recent: int = 0
    score: float | None = None
    missing: float = 0.0
    course: list[float | None] = field(default_factory=list)

    @property
    def last_at(self) -> datetime:
        return moment_of(self.last)


class _Span(NamedTuple):
    """Records of a run from ``start`` on and before ``stop``."""

    run: str
    start: str
    stop: str


class ActivityRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def extents(self, runs: Sequence[str]) -> dict[str, Activity]:
        """How many records, how far and when last; a run without records is not among them."""
        found: dict[str, Activity] = {}
        async with self._db.read() as connection:
            for ledger in (RewardTable, VerdictTable):
                left = [run for run in runs if run not in found]
                found |= await _extents(connection, ledger, left) if left else {}
        return found

    async def scores(self, found: Mapping[str, Activity]) -> None:
        """Adds the mean of the last records."""
        async with self._db.read() as connection:
            for ledger, runs in _by_ledger(found):
                spans = [_Span(run, activity.since, LAST_ID) for run, activity in runs.items()]
                for row in await connection.execute(_means(connection, ledger, spans, RECENT)):
                    told = runs[row.run]
                    told.recent, told.score = row.records, row.score
                    told.missing = (row.records - row.scored) / row.records

    async def courses(self, found: Mapping[str, Activity]) -> None:
        """Adds the course."""
        async with self._db.read() as connection:
            for ledger, runs in _by_ledger(found):
                spans = await _places(connection, ledger, runs)
                found_means = await connection.execute(_means(connection, ledger, spans, A_PLACE))
                means = {(row.run, row.start): row.score for row in found_means}
                for span in spans:
                    runs[span.run].course.append(means.get((span.run, span.start)))


def _by_ledger(found: Mapping[str, Activity]) -> Iterable[tuple[Ledger, dict[str, Activity]]]:
    for ledger, priced in ((RewardTable, True), (VerdictTable, False)):
        runs = {run: activity for run, activity in found.items() if activity.priced is priced}
        if runs:
            yield ledger, runs


async def _extents(connection: AsyncConnection, ledger: Ledger, runs: Sequence[str]) -> dict[str, Activity]:
    named = make_table(connection, "named", ("run",), [(run,) for run in runs])
    some = _records(connection, ledger, named.c.run).limit(COUNTED + 1).correlate(named).subquery()
    ends = [ledger.run, ledger.record]
    newest = _records(connection, ledger, named.c.run).order_by(*(one.desc() for one in ends)).correlate(named)
    oldest = _records(connection, ledger, named.c.run).order_by(*ends).limit(1).correlate(named)
    step = select(ledger.step).where(ledger.run == named.c.run, ledger.step >= 0)
    step = step.order_by(ledger.run.desc(), ledger.step.desc()).limit(1).correlate(named)
    told = select(
        named.c.run,
        select(func.count()).select_from(some).scalar_subquery().label("records"),
        oldest.scalar_subquery().label("first"),
        newest.limit(1).scalar_subquery().label("last"),
        newest.offset(RECENT - 1).limit(1).scalar_subquery().label("since"),
        step.scalar_subquery().label("step"),
    )
    return {
        row.run: Activity(ledger is RewardTable, row.records, row.step, row.first, row.last, row.since or row.first)
        for row in await connection.execute(told)
        if row.last is not None
    }


def _records(connection: AsyncConnection, ledger: Ledger, run: ColumnElement[str]) -> Select[Any]:
    """A run's records; for PostgreSQL in one comparison of pairs, as in :mod:`app.runs.series`."""
    if connection.dialect.name != "postgresql":
        return select(ledger.record).where(ledger.run == run)
    pair = tuple_(ledger.run, ledger.record)
    first, last = (tuple_(run, literal(end, Text)) for end in ("", LAST_ID))
    return select(ledger.record).where(pair >= first, pair <= last)


async def _places(connection: AsyncConnection, ledger: Ledger, runs: Mapping[str, Activity]) -> list[_Span]:
    """Where each place of each run begins and ends, in order."""
    asked = [(run, at) for run, activity in runs.items() for at in ids_between(activity.first, activity.last, PLACES)]
    begun = await _behind(connection, ledger, asked, 0)
    starts = sorted({(run, start) for (run, _), start in begun.items()})
    stops = await _behind(connection, ledger, starts, A_PLACE)
    spans = []
    for here, following in zip(starts, [*starts[1:], ("", "")], strict=True):
        run, start = here
        stop = min(stops[here], following[1]) if following[0] == run else stops[here]
        spans.append(_Span(run, start, stop))
    return spans


async def _behind(
    connection: AsyncConnection, ledger: Ledger, asked: Sequence[tuple[str, str]], distance: int
) -> dict[tuple[str, str], str]:
    """The run's record so many records from the first one at or after each place; ``LAST_ID`` where there is none."""
    places = make_table(connection, "places", ("run", "at"), asked)
    if connection.dialect.name == "postgresql":
        following = _following(ledger, places.c.run, places.c.at)
    else:
        following = select(ledger.record).where(ledger.run == places.c.run, ledger.record >= places.c.at)
        following = following.order_by(ledger.run, ledger.record)
    following = following.offset(distance).limit(1).correlate(places)
    told = select(places.c.run, places.c.at, following.scalar_subquery().label("record"))
    return {(row.run, row.at): row.record or LAST_ID for row in await connection.execute(told)}


def _following(ledger: Ledger, run: ColumnElement[str], start: ColumnElement[str]) -> Select[Any]:
    """A run's records from one on, in order, as PostgreSQL finds them in their index."""
    pair, end = tuple_(ledger.run, ledger.record), tuple_(run, literal(LAST_ID, Text))
    return select(ledger.record).where(pair >= tuple_(run, start), pair <= end).order_by(ledger.run, ledger.record)


def _means(connection: AsyncConnection, ledger: Ledger, spans: Sequence[_Span], most: int) -> Select[Any]:
    """Of each span how many records, how many have a score, and the mean of these; no span has more than ``most``."""
    score = RewardTable.reward if ledger is RewardTable else VerdictTable.score
    within = make_table(connection, "spans", _Span._fields, spans)
    if connection.dialect.name != "postgresql":
        inside = (ledger.run == within.c.run) & (ledger.record >= within.c.start) & (ledger.record < within.c.stop)
        told = select(within.c.run, within.c.start, *_counts(score)).join_from(within, ledger, inside)
        return told.group_by(within.c.run, within.c.start)
    # span by span, first the records from their index alone: asked for scores, it would read all of the run for each.
    # where the span stops is asked of what was found: in the index it would go on to the end of the run for each
    following = _following(ledger, within.c.run, within.c.start).limit(most).correlate(within)
    keys = following.subquery("keys")
    read = select(*_counts(score)).join_from(keys, ledger, ledger.record == keys.c.record)
    read = read.where(keys.c.record < within.c.stop)
    counted = read.lateral("counted")
    return select(within.c.run, within.c.start, *counted.c).join_from(within, counted, counted.c.records > 0)


def _counts(score: SQLColumnExpression[float | None]) -> list[ColumnElement[Any]]:
    return [func.count().label("records"), func.count(score).label("scored"), func.avg(score).label("score")]
