"""What PostgreSQL keeps the ledger's tables in: partitions of a calendar month (UTC) each, by record.

``<table>_before`` has what was there before there were partitions, ``<table>_rest`` what belongs to no month that was
made. SQLite has none of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.kit.tokens import first_id

PARTITIONED = ("verdicts", "rewards")
PARTITIONS = "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'"
"""The names of all partitions."""
_LOCK_S = 2
_BUSY = "55P03"
_BOUNDS = text(
    "SELECT c.relname, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([^'']+)''\\)') "
    "FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = CAST(:table AS regclass) "
    "ORDER BY 2, 1"
)
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Partition:
    """``end`` is the first record behind it."""

    name: str
    table: str
    end: str


async def partitions(connection: AsyncConnection) -> list[Partition]:
    """Those of months and of before, oldest first."""
    found = []
    for table in PARTITIONED:
        rows = await connection.execute(_BOUNDS, {"table": table})
        found += [Partition(name, table, end) for name, end in rows if end is not None]
    return found


async def make_ahead(db: Database, at: datetime, months: int) -> list[str]:
    """Makes the partitions of the month of ``at`` and of those that follow; the names of the new ones.

    Writers go on meanwhile. One that cannot be made now, because somebody reads the partition of the rest for long,
    is left for the next time.
    """
    made = []
    for ahead in range(months + 1):
        first = _month(at, ahead)
        for table in PARTITIONED:
            try:
                if await _make(db, table, first):
                    made.append(_name(table, first))
            except DBAPIError as failure:
                if getattr(failure.orig, "sqlstate", None) != _BUSY:
                    raise
                log.warning("a partition could not be made yet", table=table, month=f"{first:%Y-%m}")
    return made


async def drop(db: Database, partition: Partition) -> bool:
    """False where somebody works on the table for too long: nothing is lost by trying again later."""
    try:
        async with db.write() as connection:
            await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_S}s'"))
            await connection.execute(text("LOCK TABLE samples IN ACCESS EXCLUSIVE MODE"))
            await connection.execute(text(f"DROP TABLE {partition.name}"))
    except DBAPIError as failure:
        if getattr(failure.orig, "sqlstate", None) != _BUSY:
            raise
        return False
    return True


async def _make(db: Database, table: str, first: datetime) -> bool:
    """The new table is filled and constrained before it is attached: that locks the partition of the rest alone."""
    name, start, end = _name(table, first), first_id(first), first_id(_month(first, 1))
    async with db.write() as connection:
        await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_S}s'"))
        await connection.execute(text(f"SELECT pg_advisory_xact_lock(hashtextextended('partitions of {table}', 0))"))
        known = {partition.name: partition.end for partition in await partitions(connection)}
        before = known.get(f"{table}_before", "")
        if name in known or before >= end:
            return False
        start = max(start, before)
        for statement in _statements(table, name, start, end):
            await connection.execute(text(statement))
    return True


def _statements(table: str, name: str, start: str, end: str) -> Sequence[str]:
    within = f"record >= '{start}' AND record < '{end}'"
    return (
        f"CREATE TABLE {name} (LIKE {table} INCLUDING DEFAULTS INCLUDING INDEXES)",
        f"ALTER TABLE {name} ADD CONSTRAINT within CHECK ({within})",
        "LOCK TABLE samples IN SHARE ROW EXCLUSIVE MODE",
        f"LOCK TABLE {table}_rest IN ACCESS EXCLUSIVE MODE",
        f"WITH moved AS (DELETE FROM {table}_rest WHERE {within} RETURNING *) INSERT INTO {name} SELECT * FROM moved",  # noqa: S608 - names and ids of ours
        f"ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{start}') TO ('{end}')",
        f"ALTER TABLE {name} DROP CONSTRAINT within",
    )


def _name(table: str, first: datetime) -> str:
    return f"{table}_{first:%Y_%m}"


def _month(at: datetime, ahead: int) -> datetime:
    """The start of the month that is so many after that of ``at``."""
    number = at.year * 12 + at.month - 1 + ahead
    return datetime(number // 12, number % 12 + 1, 1, tzinfo=at.tzinfo)
