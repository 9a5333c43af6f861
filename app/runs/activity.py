"""What a list tells of each run, from a bounded number of its records: how many, how far, when last, and how it went.

Of each run's rewards, or of its verdicts where nothing was priced, at most :data:`COUNTED` are counted, by their index.
The mean is that of the last :data:`RECENT`; the course is :data:`PLACES` places at even distances in time, each the
mean of :data:`A_PLACE` records in a row. Means leave evaluations out where the run trains, as those of the run's page
do (:func:`app.runs.points.training`): where one of its newest :data:`COUNTED` records is none. At most
:data:`A_STRETCH` records from a place on are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
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
A_STRETCH = 128
NEAR = 1_000
"""Newest records among which :data:`RECENT` of training are looked for first."""


@dataclass(slots=True)
class Activity:
    """``records``, ``step`` and ``last`` are of all, evaluations too; ``records`` is one more than :data:`COUNTED`
    where there are more. ``score`` is the mean of the last ``recent`` records that have one, ``missing`` the share of
    these without; ``course`` are means, oldest first. Both are of what the run ``trained`` on, or else of all."""

    priced: bool
    records: int
    step: int | None
    first: str
    last: str
    trained: bool = False
    since: str = ""
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


class _Part(NamedTuple):
    """Runs with records in one table, whose evaluations are left out or not."""

    ledger: Ledger
    trained: bool
    runs: Mapping[str, Activity]

    @property
    def among(self) -> list[ColumnElement[bool]]:
        return [self.ledger.split != "eval"] if self.trained else []


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
        """Adds the mean of the last records, and whether the run trained."""
        async with self._db.read() as connection:
            for part in list(_parts(found)):
                for trained, among in ((True, NEAR), (True, COUNTED), (False, RECENT)):
                    left = [run for run, activity in part.runs.items() if not activity.since]
                    floors = await _floors(connection, part, left, among)
                    since = await _since(connection, part._replace(trained=trained), floors, fewer=among != NEAR)
                    for run, record in since.items():
                        part.runs[run].trained, part.runs[run].since = trained, record
            for part in _parts(found):
                spans = [_Span(run, activity.since, LAST_ID) for run, activity in part.runs.items()]
                for row in await connection.execute(_means(connection, part, spans, RECENT)):
                    told = part.runs[row.run]
                    told.recent, told.score = row.records, row.score
                    told.missing = (row.records - row.scored) / row.records

    async def courses(self, found: Mapping[str, Activity]) -> None:
        """Adds the course, once :meth:`scores` has said whether the run trained."""
        async with self._db.read() as connection:
            for part in _parts(found):
                spans = await _places(connection, part)
                found_means = await connection.execute(_means(connection, part, spans, A_PLACE))
                means = {(row.run, row.start): row.score for row in found_means}
                for span in spans:
                    part.runs[span.run].course.append(means.get((span.run, span.start)))


def _parts(found: Mapping[str, Activity]) -> Iterator[_Part]:
    for ledger, priced in ((RewardTable, True), (VerdictTable, False)):
        for trained in (True, False):
            runs = {name: one for name, one in found.items() if (one.priced, one.trained) == (priced, trained)}
            if runs:
                yield _Part(ledger, trained, runs)


async def _extents(connection: AsyncConnection, ledger: Ledger, runs: Sequence[str]) -> dict[str, Activity]:
    named = make_table(connection, "named", ("run",), [(run,) for run in runs])
    records = _records(connection, ledger, _whole(named.c.run)).correlate(named)
    ends = [ledger.run, ledger.record]
    newest = records.order_by(*(one.desc() for one in ends)).limit(1)
    step = select(ledger.step).where(ledger.run == named.c.run, ledger.step >= 0)
    step = step.order_by(ledger.run.desc(), ledger.step.desc()).limit(1).correlate(named)
    told = select(
        named.c.run,
        select(func.count()).select_from(records.limit(COUNTED + 1).subquery()).scalar_subquery().label("records"),
        records.order_by(*ends).limit(1).scalar_subquery().label("first"),
        newest.scalar_subquery().label("last"),
        step.scalar_subquery().label("step"),
    )
    return {
        row.run: Activity(ledger is RewardTable, row.records, row.step, row.first, row.last)
        for row in await connection.execute(told)
        if row.last is not None
    }


class _Ends(NamedTuple):
    """A span's, as expressions of a statement."""

    run: ColumnElement[str]
    start: ColumnElement[str]
    stop: ColumnElement[str]


def _whole(run: ColumnElement[str]) -> _Ends:
    return _Ends(run, literal("", Text), literal(LAST_ID, Text))


def _records(
    connection: AsyncConnection, ledger: Ledger, span: _Ends, among: Sequence[ColumnElement[bool]] = ()
) -> Select[Any]:
    """A run's records within a span; for PostgreSQL in comparisons of pairs, as in :mod:`app.runs.series`."""
    records = select(ledger.record).where(*among)
    if connection.dialect.name != "postgresql":
        return records.where(ledger.run == span.run, ledger.record >= span.start, ledger.record < span.stop)
    pair = tuple_(ledger.run, ledger.record)
    return records.where(pair >= tuple_(span.run, span.start), pair < tuple_(span.run, span.stop))


async def _floors(connection: AsyncConnection, part: _Part, runs: Sequence[str], among: int) -> list[_Span]:
    """Of each run its newest records, so many of them."""
    long = [run for run in runs if part.runs[run].records > among]
    named = make_table(connection, "named", ("run",), [(run,) for run in long])
    run, record = part.ledger.run.desc(), part.ledger.record.desc()
    records = _records(connection, part.ledger, _whole(named.c.run)).order_by(run, record).offset(among - 1).limit(1)
    told = select(named.c.run, records.correlate(named).scalar_subquery().label("record"))
    found = {row.run: row.record for row in await connection.execute(told)} if long else {}
    return [_Span(run, found.get(run) or part.runs[run].first, LAST_ID) for run in runs]


async def _since(connection: AsyncConnection, part: _Part, floors: Sequence[_Span], fewer: bool) -> dict[str, str]:
    """The last but :data:`RECENT` of the records there, or the first where ``fewer`` will do; runs without one are not
    among them."""
    within = make_table(connection, "within", _Span._fields, floors)
    run, record = part.ledger.run.desc(), part.ledger.record.desc()
    records = _records(connection, part.ledger, _Ends(*within.c), part.among).order_by(run, record).correlate(within)
    if fewer:
        newest = records.limit(RECENT).subquery()
        since = select(func.min(newest.c.record)).scalar_subquery()
    else:
        since = records.offset(RECENT - 1).limit(1).scalar_subquery()
    told = select(within.c.run, since.label("since"))
    found = await connection.execute(told) if floors else ()
    return {row.run: row.since for row in found if row.since is not None}


async def _places(connection: AsyncConnection, part: _Part) -> list[_Span]:
    """Where each place of each run begins and ends, in order."""
    whole = part._replace(trained=False)
    asked = [
        _Span(run, at, LAST_ID)
        for run, activity in part.runs.items()
        for at in ids_between(activity.first, activity.last, PLACES)
    ]
    if part.trained:
        stretches = await _behind(connection, whole, asked, A_STRETCH)
        asked = [span._replace(stop=stop) for span, stop in zip(asked, stretches, strict=True)]
    begun = await _behind(connection, part, asked, 0)
    # places from which the same record is the first are one
    starts = {(span.run, start): span.stop for span, start in zip(asked, begun, strict=True) if start != span.stop}
    spans = [_Span(run, start, stop) for (run, start), stop in sorted(starts.items())]
    stops = await _behind(connection, part, spans, A_PLACE)
    spans = [span._replace(stop=stop) for span, stop in zip(spans, stops, strict=True)]
    return [
        here._replace(stop=min(here.stop, following.start)) if following.run == here.run else here
        for here, following in zip_longest(spans, spans[1:], fillvalue=_Span("", "", ""))
    ]


async def _behind(connection: AsyncConnection, part: _Part, spans: Sequence[_Span], distance: int) -> list[str]:
    """Of each span the record so many records behind its first one; where it stops, if there is none."""
    within = make_table(connection, "within", _Span._fields, spans)
    run, record = part.ledger.run, part.ledger.record
    records = _records(connection, part.ledger, _Ends(*within.c), part.among).order_by(run, record)
    following = records.offset(distance).limit(1).correlate(within)
    told = select(*within.c, following.scalar_subquery().label("record"))
    found = {_Span(row.run, row.start, row.stop): row.record for row in await connection.execute(told)}
    return [found[span] or span.stop for span in spans]


def _means(connection: AsyncConnection, part: _Part, spans: Sequence[_Span], most: int) -> Select[Any]:
    """Of each span how many records, how many have a score, and the mean of these; no span has more than ``most``."""
    ledger, among = part.ledger, part.among
    score = RewardTable.reward if ledger is RewardTable else VerdictTable.score
    within = make_table(connection, "within", _Span._fields, spans)
    if connection.dialect.name != "postgresql":
        inside = (ledger.run == within.c.run) & (ledger.record >= within.c.start) & (ledger.record < within.c.stop)
        told = select(within.c.run, within.c.start, *_counts(score)).join_from(within, ledger, inside).where(*among)
        return told.group_by(within.c.run, within.c.start)
    # span by span, first the records from their index: asked for scores, it would read all of the run for each
    records = _records(connection, ledger, _Ends(*within.c), among).order_by(ledger.run, ledger.record)
    keys = records.limit(most).correlate(within).subquery("keys")
    read = select(*_counts(score)).join_from(keys, ledger, ledger.record == keys.c.record)
    counted = read.lateral("counted")
    return select(within.c.run, within.c.start, *counted.c).join_from(within, counted, counted.c.records > 0)


def _counts(score: SQLColumnExpression[float | None]) -> list[ColumnElement[Any]]:
    return [func.count().label("records"), func.count(score).label("scored"), func.avg(score).label("score")]
