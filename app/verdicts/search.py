"""Finds records for people: any filters, one page at a time, and never more work than a page may wait for.

Pages follow keys: they go on from a record, newest first, so rows that arrive meanwhile shift nothing. A record is made
before it is committed: one that is on its way may appear behind a page that was read already.

Of the filters that an index serves, the one with the fewest rows left drives the search. At most :data:`ROWS` of its
rows are held against the other filters, or :data:`TEXTS` where a text is looked for; a search that ends there says
where to go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.tables import Sample
from app.verdicts.asked import Asked, Bounds, field_of
from app.verdicts.filters import LedgerFilters
from app.verdicts.repository import reward_record, verdict_record
from trueward.answers import RewardRecord
from trueward.records import VerdictRecord

ROWS = 10_000
TEXTS = 1_000
COUNTED = 1_000
_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class Cursor:
    """What is older than ``record``, or with ``newer`` what follows it; without a record the newest, or the oldest."""

    record: str | None = None
    newer: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Newest first, each with the beginning of its response. ``more``: others follow in the cursor's direction.

    ``searched``: how many rows were looked at where that was the end of the search; it goes on from ``stopped``.
    """

    rows: Sequence[VerdictRecord | RewardRecord]
    excerpts: Sequence[str]
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

    async def page(self, filters: LedgerFilters, cursor: Cursor, limit: int) -> Found:
        """At most ``limit`` records."""
        asked = Asked(filters, cursor.newer, self._db.dialect)
        bounds = asked.bounds(cursor.record)
        most = self._rows if filters.text is None else self._texts
        searched = stopped = None
        async with self._db.read() as connection:
            driver = _sufficient(asked)
            if driver is not None:
                wanted = asked.keys(driver, bounds, limit + 1)
            else:
                reach = await _reach(connection, asked, bounds, most)
                wanted = asked.kept(reach.driver, bounds, most, limit + 1)
                if reach.rows == most:
                    searched, stopped = most, reach.last
            records = [row.record for row in await connection.execute(wanted)]
            rows, excerpts = await _read(connection, asked, records[:limit], self._db.dialect)
        if len(records) > limit:
            return Found(rows, excerpts, True)
        return Found(rows, excerpts, stopped is not None, searched, stopped)

    async def count(self, filters: LedgerFilters) -> int | None:
        """How many records there are, 1,001 for more than 1,000; None where that would take a search."""
        asked = Asked(filters, False, self._db.dialect)
        driver = _sufficient(asked)
        if driver is None:
            return None
        keys = asked.keys(driver, asked.bounds(None), COUNTED + 1).subquery()
        async with self._db.read() as connection:
            return (await connection.execute(select(func.count()).select_from(keys))).scalar_one()


def _sufficient(asked: Asked) -> tuple[str, ...] | None:
    """The driver beside which nothing is asked."""
    return next((driver for driver in asked.drivers() if not asked.rest(driver)), None)


async def _reach(connection: AsyncConnection, asked: Asked, bounds: Bounds, most: int) -> _Reach:
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


async def _read(
    connection: AsyncConnection, asked: Asked, records: Sequence[str], dialect: str
) -> tuple[list[VerdictRecord | RewardRecord], list[str]]:
    """Newest first."""
    beginning = func.substr(field_of("response", dialect), 1, _EXCERPT).label("excerpt")
    wanted = select(asked.table, beginning).join(Sample, Sample.fingerprint == asked.table.c.sample)
    rows = (await connection.execute(wanted.where(asked.table.c.record.in_(records)))).all()
    rows = sorted(rows, key=lambda row: str(row.record), reverse=True)
    read = verdict_record if asked.filters.kind == "verdict" else reward_record
    return [read(row) for row in rows], [row.excerpt or "" for row in rows]
