"""A run's rewards over its steps in at most 100 points, counted by the database from a bounded number of records.

A run with at most 10,000 records is counted whole: a point is a step, or as many steps as make 100 points, or 100
records where there are no steps. Of a longer run each point is 100 records in a row, and the points are spread evenly
over the time that the run took. A run that was only verified has its verdicts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from pydantic_core import from_json
from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    Row,
    Select,
    Text,
    case,
    cast,
    column,
    func,
    literal,
    null,
    select,
    tuple_,
    values,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.selectable import FromClause

from app.kit.db import Database
from app.kit.tokens import LAST_ID, first_id, ids_between
from app.tables import Reward as RewardTable
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from trueward.types import Outcome, Sample

POINTS = 100
A_POINT = 100
MOST = POINTS * A_POINT
MOST_TOLD = 200_000
MEASURED = 6
"""Responses of a point whose length is measured; their content is read for that."""
LONGEST = 100_000
"""Bytes of a sample whose response is measured; of a longer one all its characters count."""
_MISSING = [one.value for one in Outcome if one.missing]
Grain = Literal["steps", "records", "sampled"]
Ledger = type[RewardTable] | type[VerdictTable]


@dataclass(slots=True)
class Point:
    """Records in a row. ``score`` is the mean reward (or score), ``causes`` how many had each cause of ``invalid`` and
    of a missing score; ``groups`` are those with a name and several members here, ``flat`` those of equal rewards."""

    place: int
    first_step: int | None
    last_step: int | None
    records: int
    missing: int
    score: float | None
    policies: int
    policy: str | None
    components: dict[str, float | None] = field(default_factory=dict)
    causes: dict[str, int] = field(default_factory=dict)
    groups: int = 0
    flat: int = 0
    length: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """``priced``: the points are of rewards, else of verdicts. ``counted`` of the run's records are in the points."""

    priced: bool
    grain: Grain
    counted: int
    points: list[Point]


class SeriesRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_run(self, run: str) -> Series | None:
        """None for a run without records."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            grain, part = await _part(connection, ledger, run)
            points = await self.points(connection, ledger, part)
        ordered = [points[place] for place in sorted(points)]
        counted = sum(point.records for point in ordered)
        return Series(ledger is RewardTable, grain, counted, ordered) if ordered else None

    async def points(self, connection: AsyncConnection, ledger: Ledger, part: FromClause) -> dict[int, Point]:
        """By place, of a part that :func:`part_of` made."""
        points = {row.place: _point(row) for row in await connection.execute(_totals(part))}
        for row in await connection.execute(self._components(ledger, part)):
            points[row.place].components[row.name] = row.value
        for row in await connection.execute(_causes(part)):
            points[row.place].causes[f"{_kind(row.outcome)}: {row.reason_code}"] = row.count
        for row in await connection.execute(_groups(part)):
            points[row.place].groups, points[row.place].flat = row.groups, row.flat
        for place, length in (await _lengths(connection, part)).items():
            points[place].length = length
        return points

    async def size(self, run: str) -> int:
        """How many records there are; of more than 200,000 that many."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            some = select(ledger.record).where(ledger.run == run).limit(MOST_TOLD).subquery()
            count = select(func.count()).select_from(some)
            return int((await connection.execute(count)).scalar_one())

    async def steps_at(self, run: str, moments: Sequence[datetime]) -> list[int | None]:
        """The step of the first record that came at or after each moment; None where there is none, or no step."""
        if not moments:
            return []
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            found = []
            for at in moments:
                first = select(ledger.step).where(ledger.run == run, ledger.record >= first_id(at))
                found.append((await connection.execute(first.order_by(ledger.record).limit(1))).scalar())
        return found

    def _components(self, ledger: Ledger, part: FromClause) -> Select[Any]:
        """The mean of each component, or of each verifier's scores."""
        if ledger is VerdictTable:
            value = func.avg(part.c.score)
            return select(part.c.place, part.c.named.label("name"), value.label("value")).group_by("place", "name")
        each = func.json_each if self._db.dialect == "sqlite" else func.json_each_text
        entry = each(part.c.named).table_valued("key", "value")
        means = select(part.c.place, entry.c.key.label("name"), func.avg(cast(entry.c.value, Float)).label("value"))
        return means.select_from(part).join(entry, literal(True)).group_by(part.c.place, entry.c.key)


async def ledger_of(connection: AsyncConnection, run: str) -> Ledger:
    """A run's records are its rewards; of one that was only verified, its verdicts."""
    priced = await connection.execute(select(RewardTable.record).where(RewardTable.run == run).limit(1))
    return RewardTable if priced.first() is not None else VerdictTable


async def _part(connection: AsyncConnection, ledger: Ledger, run: str) -> tuple[Grain, FromClause]:
    """The records that are counted, each with the number of its point as ``place``."""
    first = select(ledger.step).where(ledger.run == run).limit(MOST + 1).subquery()
    ends = (func.min(first.c.step).label("low"), func.max(first.c.step).label("high"))
    seen = select(func.count().label("records"), *ends)
    extent = (await connection.execute(seen.select_from(first))).one()
    if extent.records > MOST:
        spans = await _spans(connection, ledger, run)
        among = _columns(ledger, spans.c.place).join_from(spans, ledger, _within(ledger, run, spans))
        return "sampled", _once(among)
    if extent.low is None:
        number = (func.row_number().over(order_by=ledger.record) - 1) // literal(A_POINT, Integer)
        return "records", part_of(ledger, number, ledger.run == run)
    width = -(-(extent.high - extent.low + 1) // POINTS)
    place = (ledger.step - extent.low) // width
    return "steps", part_of(ledger, place, ledger.run == run, ledger.step.is_not(None))


def part_of(ledger: Ledger, place: Any, *among: ColumnElement[bool]) -> FromClause:
    """The records for which all of this holds, each with the number of its point."""
    return _once(_columns(ledger, place).where(*among))


def _once(part: Select[Any]) -> FromClause:
    """Read by itself: within a sum over it PostgreSQL, which expects far more rows, would read the whole run."""
    return part.cte("part").prefix_with("MATERIALIZED", dialect="postgresql")


def _columns(ledger: Ledger, place: Any) -> Select[Any]:
    score, named = (
        (RewardTable.reward, RewardTable.components)
        if ledger is RewardTable
        else (VerdictTable.score, VerdictTable.verifier)
    )
    shared = (ledger.record, ledger.sample, ledger.step, ledger.outcome, ledger.reason_code, ledger.policy)
    told = (ledger.group_.label("member"), score.label("score"), named.label("named"))
    return select(place.label("place"), *shared, *told)


async def _spans(connection: AsyncConnection, ledger: Ledger, run: str) -> FromClause:
    """Where each point begins (inclusive) and ends (not so): records, at even distances in time."""
    # one at a time: asked for both, SQLite reads every entry between them
    ordered = [ledger.run, ledger.record]
    first, last = [
        (
            await connection.execute(_from(connection, ledger, run, literal("", Text)).order_by(*order).limit(1))
        ).scalar_one()
        for order in (ordered, [one.desc() for one in ordered])
    ]
    places = ids_between(first, last, POINTS)
    starts = sorted(set(await _behind(connection, ledger, run, places, 0)))
    stops = await _behind(connection, ledger, run, starts, A_POINT)
    rows = [
        (place, start, min(ends))
        for place, (start, *ends) in enumerate(zip(starts, stops, [*starts[1:], LAST_ID], strict=True))
    ]
    named = (column("place", Integer), column("start", Text), column("stop", Text))
    return values(*named, name="spans").data(rows).cte("spans")


async def _behind(
    connection: AsyncConnection, ledger: Ledger, run: str, places: Sequence[str], distance: int
) -> list[str]:
    """The run's record so many records from the first one at or after each place; ``LAST_ID`` where there is none."""
    at = values(column("at", Text), name="places").data([(place,) for place in places]).cte("places")
    following = _from(connection, ledger, run, at.c.at).order_by(ledger.run, ledger.record)
    wanted = following.offset(distance).limit(1).correlate(at).scalar_subquery()
    found = {row.at: row.record for row in await connection.execute(select(at.c.at, wanted.label("record")))}
    return [found[place] or LAST_ID for place in places]


def _from(connection: AsyncConnection, ledger: Ledger, run: str, place: ColumnElement[str]) -> Select[Any]:
    """The run's records at or after a place.

    For PostgreSQL in one comparison of pairs: told the run apart, it takes the order of all records, and reads those of
    every later run behind the end of this one.
    """
    records = select(ledger.record)
    if connection.dialect.name != "postgresql":
        return records.where(ledger.run == run, ledger.record >= place)
    pair, named = tuple_(ledger.run, ledger.record), literal(run, Text)
    return records.where(pair >= tuple_(named, place), pair <= tuple_(named, literal(LAST_ID, Text)))


def _within(ledger: Ledger, run: str, spans: FromClause) -> Any:
    return (ledger.run == run) & (ledger.record >= spans.c.start) & (ledger.record < spans.c.stop)


def _totals(part: FromClause) -> Select[Any]:
    counts = (func.count().label("records"), (func.count() - func.count(part.c.score)).label("missing"))
    steps = (func.min(part.c.step).label("first_step"), func.max(part.c.step).label("last_step"))
    policies = (func.count(part.c.policy.distinct()).label("policies"), func.max(part.c.policy).label("policy"))
    said = select(part.c.place, *counts, *steps, *policies, func.avg(part.c.score).label("score"))
    return said.group_by(part.c.place)


def _causes(part: FromClause) -> Select[Any]:
    named = select(part.c.place, part.c.outcome, part.c.reason_code, func.count().label("count"))
    told = part.c.outcome.in_([*_MISSING, Outcome.INVALID.value])
    return named.where(told).group_by(part.c.place, part.c.outcome, part.c.reason_code)


def _groups(part: FromClause) -> Select[Any]:
    scores = (func.min(part.c.score), func.max(part.c.score))
    flat = case((scores[0] == scores[1], 1), else_=0).label("flat")
    grouped = select(part.c.place, flat).where(part.c.member.is_not(None), part.c.score.is_not(None))
    grouped = grouped.group_by(part.c.place, part.c.step, part.c.member).having(func.count() > 1)
    each = grouped.subquery()
    counts = (func.count().label("groups"), func.sum(each.c.flat).label("flat"))
    return select(each.c.place, *counts).group_by(each.c.place)


async def _lengths(connection: AsyncConnection, part: FromClause) -> dict[int, float]:
    """The mean length of a few responses of each point; of samples that are gone nothing is known."""
    # not joined: expecting far more of them, PostgreSQL would read every sample that there is
    chosen = list(await connection.execute(_measured(part)))
    contents = await connection.execute(_contents({row.sample for row in chosen}))
    lengths = {row.fingerprint: row.size if row.content is None else _characters(row.content) for row in contents}
    found: dict[int, list[int]] = {}
    for row in chosen:
        if row.sample in lengths:
            found.setdefault(row.place, []).append(lengths[row.sample])
    return {place: sum(each) / len(each) for place, each in found.items()}


def _measured(part: FromClause) -> Select[Any]:
    """A few samples of each point."""
    number = func.row_number().over(partition_by=part.c.place, order_by=part.c.record).label("number")
    some = select(part.c.place, part.c.sample, number).subquery()
    return select(some.c.place, some.c.sample).where(some.c.number <= MEASURED)


def _contents(samples: Collection[str]) -> Select[Any]:
    """Each sample's content, null where it is long, and its size."""
    size = func.length(SampleTable.content)
    content = case((size <= LONGEST, SampleTable.content), else_=null()).label("content")
    told = select(SampleTable.fingerprint, content, size.label("size"))
    return told.where(SampleTable.fingerprint.in_(samples))


def _characters(content: str) -> int:
    response = from_json(content).get("response")
    text = response if isinstance(response, str) else Sample.model_validate({"response": response}).response_text
    return len(text)


def _kind(outcome: str) -> str:
    return "invalid" if outcome == Outcome.INVALID else "missing"


def _point(row: Row[Any]) -> Point:
    counts = {"records": row.records, "missing": row.missing, "score": row.score}
    return Point(row.place, row.first_step, row.last_step, **counts, policies=row.policies, policy=row.policy)
