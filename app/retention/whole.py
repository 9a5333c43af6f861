"""Whole months of PostgreSQL: where every record of a partition is due, it is dropped instead of searched."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from sqlalchemy import column, exists, func, or_, select, update
from sqlalchemy import table as named
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.kit.partitions import Partition, drop, partitions
from app.kit.tokens import first_id, moment_of
from app.retention.erasing import erase_unused, is_referred_to
from app.retention.phase import BATCH, PAGE, DueRows, Rows
from app.retention.spec import Spec, due
from app.tables import Reward, Sample

_OVERLAP = timedelta(days=1)


async def drop_due(db: Database, spec: Spec) -> Counter[str]:
    """Drops what may be; the rows that went, by table. Their samples are :class:`Unused` now."""
    gone: Counter[str] = Counter()
    if db.dialect != "postgresql" or not spec.cutoffs:
        return gone
    async with db.read() as connection:
        old = [one for one in await partitions(connection) if one.end <= spec.until]
    for partition in old:
        async with db.read() as connection:
            if await _holds_more(connection, partition, spec):
                continue
            count = select(func.count()).select_from(_rows(partition))
            rows: int = (await connection.execute(count)).scalar_one()
        if partition.table == "rewards":
            await _unname_overlapping(db, partition)
        if await drop(db, partition):
            gone[partition.table] += rows
    return gone


class Unused:
    """Samples of dropped records, by their fingerprints, as far as nothing else refers to them."""

    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        old = (Sample.created_at < moment_of(spec.until)).label("old")
        query = select(Sample.fingerprint, (old & ~is_referred_to(Sample.fingerprint)).label("due"))
        page = query.where(Sample.fingerprint > place).order_by(Sample.fingerprint).limit(PAGE)
        rows = (await connection.execute(page)).all()
        theirs = [row for row in rows if row.due][:BATCH]
        full = len(theirs) == BATCH
        return DueRows(
            theirs, (theirs if full else rows)[-1].fingerprint if rows else place, last=not full and len(rows) < PAGE
        )

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        return Counter(samples=await erase_unused(connection, [row.fingerprint for row in rows]))


async def _holds_more(connection: AsyncConnection, partition: Partition, spec: Spec) -> bool:
    rows = _rows(partition)
    kept = exists().where(~due(spec.cutoffs, rows.c.record, rows.c.owner)).select_from(rows)
    return bool((await connection.execute(select(kept))).scalar_one())


async def _unname_overlapping(db: Database, partition: Partition) -> None:
    """Requests of which a part lies behind the partition's end: recorded around midnight."""
    gone = _rows(partition)
    same = or_(gone.c.run == Reward.run, gone.c.run.is_(None) & Reward.run.is_(None))
    torn = exists().where(gone.c.request == Reward.request, same)
    within = Reward.record.between(partition.end, first_id(moment_of(partition.end) + _OVERLAP))
    async with db.write() as connection:
        await connection.execute(update(Reward).where(within, torn).values(request=None))


def _rows(partition: Partition) -> Any:
    return named(partition.name, *(column(name) for name in ("record", "owner", "run", "request")))
