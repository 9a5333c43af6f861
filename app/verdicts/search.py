"""Finds records for people: any filters, one page at a time, and never more work than a page may wait for.

Pages follow keys: they go on from a record, newest first, so rows that arrive meanwhile shift nothing. A record is made
before it is committed: one that is on its way may appear behind a page that was read already.

Of the filters that an index serves, the one with the fewest rows left drives the search. At most :data:`ROWS` of its
rows are held against the other filters, or :data:`TEXTS` where a text is looked for; a search that ends there says
where to go on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.tables import Sample, Verdict
from app.verdicts.answer import answer_of
from app.verdicts.excerpt import END, LONGEST, excerpt, excerpt_of_end
from app.verdicts.filters import Kind, LedgerFilters
from app.verdicts.repository import reward_record, verdict_record
from app.verdicts.search_statements import RecordQuery, RecordRange, field_of
from trueward.wire.record import RewardRecord, VerdictRecord

ROWS = 10_000
TEXTS = 1_000
COUNTED = 1_000
_WHOLE = 20_000
"""Characters of a sample that is read whole for its excerpt."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """What is older than ``record``, or with ``newer`` what follows it; without a record the newest, or the oldest."""

    record: str | None = None
    newer: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Newest first, each with the beginning of its answer and of its reference, and the answer that a verifier
    extracted. ``more``: others follow in the cursor's direction.

    ``searched``: how many rows were looked at where that was the end of the search; it goes on from ``stopped``.
    """

    rows: Sequence[VerdictRecord | RewardRecord]
    excerpts: Sequence[str]
    references: Sequence[str | None]
    extracted: Sequence[str | None]
    lengths: Sequence[int | None]
    more: bool
    searched: int | None = None
    stopped: str | None = None


class _Reach(NamedTuple):
    """What a driver has within the bounds: how many rows, at most as many as are looked at, and the last of them."""

    driver: tuple[str, ...]
    rows: int
    last: str


class LedgerSearch:
    """``rows`` and ``texts`` are the most that one page looks at."""

    def __init__(self, db: Database, rows: int = ROWS, texts: int = TEXTS) -> None:
        self._db = db
        self._rows = rows
        self._texts = texts

    async def page(self, filters: LedgerFilters, cursor: Cursor, limit: int) -> SearchResult:
        """At most ``limit`` records."""
        most = self._rows if filters.text is None else self._texts
        searched = stopped = None
        async with self._db.read() as connection:
            asked = await self._make_query(connection, filters, cursor.newer)
            bounds = asked.bounds(cursor.record)
            driver = _sufficient(asked)
            if driver is not None:
                wanted = asked.keys(driver, bounds, limit + 1)
            else:
                reach = await _reach(connection, asked, bounds, most)
                wanted = asked.select_matching(reach.driver, bounds, most, limit + 1)
                if reach.rows == most:
                    searched, stopped = most, reach.last
            records = [row.record for row in await connection.execute(wanted)]
            found = await _read(connection, asked, records[:limit], self._db.dialect)
        if len(records) > limit:
            return replace(found, more=True)
        return replace(found, more=stopped is not None, searched=searched, stopped=stopped)

    async def records(self, kind: Kind, records: Sequence[str]) -> SearchResult:
        """These, newest first; those that the ledger does not have are left out."""
        asked = RecordQuery(LedgerFilters(kind=kind), False, self._db.dialect)
        async with self._db.read() as connection:
            return await _read(connection, asked, records, self._db.dialect)

    async def count(self, filters: LedgerFilters) -> int | None:
        """How many records there are, 1,001 for more than 1,000; None where that would take a search."""
        async with self._db.read() as connection:
            asked = await self._make_query(connection, filters, False)
            driver = _sufficient(asked)
            if driver is None:
                return None
            keys = asked.keys(driver, asked.bounds(None), COUNTED + 1).subquery()
            return (await connection.execute(select(func.count()).select_from(keys))).scalar_one()

    async def _make_query(self, connection: AsyncConnection, filters: LedgerFilters, newer: bool) -> RecordQuery:
        """A range of a run's steps drives the search where it has no more rows than one page looks at."""
        asked = RecordQuery(filters, newer, self._db.dialect)
        if filters.run is None or not filters.ranged:
            return asked
        some = asked.in_steps(self._rows + 1).subquery()
        rows = (await connection.execute(select(func.count()).select_from(some))).scalar_one()
        return RecordQuery(filters, newer, self._db.dialect, narrow=True) if rows <= self._rows else asked


def _sufficient(asked: RecordQuery) -> tuple[str, ...] | None:
    """The driver beside which nothing is asked."""
    return next((driver for driver in asked.drivers() if not asked.rest(driver)), None)


async def _reach(connection: AsyncConnection, asked: RecordQuery, bounds: RecordRange, most: int) -> _Reach:
    """Of the first driver that has fewer rows than are looked at, else of the one whose rows go furthest."""
    found: list[_Reach] = []
    for driver in asked.drivers():
        keys = asked.keys(driver, bounds, most).subquery()
        end = func.max(keys.c.record) if asked.newer else func.min(keys.c.record)
        rows, last = (await connection.execute(select(func.count(), end).select_from(keys))).one()
        found.append(_Reach(driver, rows, last or ""))
        if rows < most:
            return found[-1]
    return (max if asked.newer else min)(found, key=lambda one: one.last)


async def _read(connection: AsyncConnection, asked: RecordQuery, records: Sequence[str], dialect: str) -> SearchResult:
    """Newest first."""
    response, content = field_of("response", dialect), Sample.content
    long = func.length(content) > _WHOLE
    end = func.right(response, END) if dialect == "postgresql" else func.substr(response, -END)
    wanted: Select[Any] = select(
        asked.table,
        case((~long, content)).label("whole"),
        case((long, func.substr(response, 1, LONGEST))).label("beginning"),
        case((long, end)).label("end"),
        func.substr(field_of("reference", dialect), 1, LONGEST).label("gold"),
    )
    wanted = wanted.join(Sample, Sample.fingerprint == asked.table.c.sample)
    rows = (await connection.execute(wanted.where(asked.table.c.record.in_(records)))).all()
    rows = sorted(rows, key=lambda row: str(row.record), reverse=True)
    read = verdict_record if asked.filters.kind == "verdict" else reward_record
    return SearchResult(
        rows=[read(row) for row in rows],
        excerpts=await asyncio.to_thread(lambda: [_excerpt(row) for row in rows]),
        references=[row.gold for row in rows],
        extracted=await _extracted(connection, asked.filters.kind, rows),
        lengths=[row.length for row in rows],
        more=False,
    )


def _excerpt(row: Row[Any]) -> str:
    if row.whole is not None:
        return excerpt(json.loads(row.whole))
    return excerpt_of_end(row.beginning or "", row.end or "")


async def _extracted(connection: AsyncConnection, kind: Kind, rows: Sequence[Row[Any]]) -> list[str | None]:
    """What the verifier took for the answer; of a reward the first of its verdicts that says so."""
    if kind == "verdict":
        return [answer_of(row.evidence) for row in rows]
    wanted = {record for row in rows for record in row.verdicts}
    told = select(Verdict.record, Verdict.evidence).where(Verdict.record.in_(wanted))
    known = {row.record: answer_of(row.evidence) for row in await connection.execute(told)}
    return [next((known[one] for one in row.verdicts if known.get(one) is not None), None) for row in rows]
