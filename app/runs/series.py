"""A run's rewards over its steps in at most 100 points, counted from a bounded number of records.

A run with at most 10,000 records is counted whole: a point is a step, or as many steps as make 100 points, or 100
records where there are no steps. Of a longer run each point is 100 records in a row, and the points are spread evenly
over the time that the run took. A run that was only verified has its verdicts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json
from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Text,
    cast,
    column,
    func,
    literal,
    select,
    tuple_,
    values,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.selectable import FromClause

from app.kit.db import Database
from app.kit.tokens import LAST_ID, first_id, ids_between
from app.runs.points import RecordRow, RunPoint, ScoreBin, bins_of, points_of, training
from app.runs.prompt_rates import PromptRates, prompt_rates
from app.runs.row_tables import make_table
from app.tables import Reward as RewardTable
from app.tables import Verdict as VerdictTable

POINTS = 100
A_POINT = 100
MOST = POINTS * A_POINT
MOST_TOLD = 200_000
Grain = Literal["steps", "records", "sampled"]
Ledger = type[RewardTable] | type[VerdictTable]


class Extent(NamedTuple):
    """A run's records: how many there are (of more than 200,000 that many), the first and the last."""

    priced: bool
    records: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Series:
    """``priced``: the points are of rewards, else of verdicts. ``counted`` of the run's records are in the points;
    ``evaluated`` beside them are of evaluations, and in none."""

    priced: bool
    grain: Grain
    counted: int
    points: list[RunPoint]
    bins: list[ScoreBin]
    prompts: PromptRates
    evaluated: int = 0


class SeriesRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_run(self, run: str) -> Series | None:
        """None for a run without records."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            grain, part = await _part(connection, ledger, run)
            rows = await rows_of(connection, ledger, part)
        return await asyncio.to_thread(_series, ledger is RewardTable, grain, rows) if rows else None

    async def extent(self, run: str) -> Extent | None:
        """None for a run without records."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            some = select(ledger.record).where(ledger.run == run).limit(MOST_TOLD).subquery()
            count = (await connection.execute(select(func.count()).select_from(some))).scalar_one()
            if not count:
                return None
            return Extent(ledger is RewardTable, count, *await _ends(connection, ledger, run))

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


async def rows_of(connection: AsyncConnection, ledger: Ledger, part: FromClause) -> list[RecordRow]:
    """The records of a part."""
    found = (await connection.execute(select(*(part.c[name] for name in RecordRow._fields)))).all()
    if ledger is VerdictTable:
        return list(map(RecordRow._make, found))
    components = {text: from_json(text) for text in {row[-1] for row in found}}  # of thousands few differ, often
    return [RecordRow._make([*shared, components[text]]) for *shared, text in found]


def _once(part: Select[Any]) -> FromClause:
    """Read by itself: within a sum over it PostgreSQL, which expects far more rows, would read the whole run."""
    return part.cte("part").prefix_with("MATERIALIZED", dialect="postgresql")


def _columns(ledger: Ledger, place: Any) -> Select[Any]:
    score, named = (
        (RewardTable.reward, cast(RewardTable.components, Text))
        if ledger is RewardTable
        else (VerdictTable.score, VerdictTable.verifier)
    )
    shared = (ledger.record, ledger.sample, ledger.step, ledger.outcome, ledger.reason_code, ledger.policy)
    told = (ledger.prompt, ledger.length, ledger.data_source.label("source"), ledger.split)
    said = (ledger.group_.label("member"), score.label("score"), named.label("named"))
    return select(place.label("place"), *shared, *told, *said)


async def _spans(connection: AsyncConnection, ledger: Ledger, run: str) -> FromClause:
    """Where each point begins (inclusive) and ends (not so): records, at even distances in time."""
    places = ids_between(*await _ends(connection, ledger, run), POINTS)
    starts = sorted(set(await _behind(connection, ledger, run, places, 0)))
    stops = await _behind(connection, ledger, run, starts, A_POINT)
    rows = [
        (place, start, min(ends))
        for place, (start, *ends) in enumerate(zip(starts, stops, [*starts[1:], LAST_ID], strict=True))
    ]
    # no table of JSON: SQLite would look each record of the run up in it
    named = (column("place", Integer), column("start", Text), column("stop", Text))
    return values(*named, name="spans").data(rows).cte("spans")


async def _ends(connection: AsyncConnection, ledger: Ledger, run: str) -> tuple[str, str]:
    """The run's first record and its last. One at a time: asked for both, SQLite reads every entry between them."""
    ordered = [ledger.run, ledger.record]
    records = _from(connection, ledger, run, literal("", Text))
    first, last = [
        (await connection.execute(records.order_by(*order).limit(1))).scalar_one()
        for order in (ordered, [one.desc() for one in ordered])
    ]
    return first, last


async def _behind(
    connection: AsyncConnection, ledger: Ledger, run: str, places: Sequence[str], distance: int
) -> list[str]:
    """The run's record so many records from the first one at or after each place; ``LAST_ID`` where there is none."""
    at = make_table(connection, "places", ("at",), [(place,) for place in places])
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


def _series(priced: bool, grain: Grain, among: Sequence[RecordRow]) -> Series:
    rows = training(among)
    bins = bins_of(row.score for row in rows)
    points = points_of(rows, bins)
    prompts = prompt_rates(rows, [point.place for point in points])
    return Series(priced, grain, len(rows), points, bins, prompts, len(among) - len(rows))
