"""Records that age or their run makes due, in the order of the ledger."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.retention.erasing import RECORDS, erase_records
from app.retention.phase import BATCH, PAGE, DueRows, Rows
from app.retention.spec import Spec, due, is_owned
from app.tables import Reward


class DueRecords:
    """Of one table."""

    def __init__(self, table: str) -> None:
        self._name = table
        self._table = RECORDS[table]

    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        """By age every record is looked at, for those of a project are anywhere among others'."""
        query = self._columns(spec).where(self._table.record > place).order_by(self._table.record)
        if spec.run is not None:
            theirs = query.where(self._table.run == spec.run, is_owned(spec.project, self._table.owner))
            rows = (await connection.execute(theirs.limit(BATCH))).all()
            return DueRows(rows, rows[-1].record if rows else place, last=len(rows) < BATCH)
        page = (await connection.execute(query.where(self._table.record < spec.until).limit(PAGE))).all()
        rows = [row for row in page if row.due][:BATCH]
        more = len(rows) == BATCH or len(page) == PAGE
        return DueRows(rows, (rows if len(rows) == BATCH else page)[-1].record if page else place, last=not more)

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        return await erase_records(connection, self._name, rows)

    def _columns(self, spec: Spec) -> Select[Any]:
        table = self._table
        columns: list[Any] = [table.record, table.sample, table.run]
        if table is Reward:
            columns += [Reward.request, Reward.group_]
        if spec.cutoffs:
            columns.append(due(spec.cutoffs, table.record, table.owner).label("due"))
        return select(*columns)
