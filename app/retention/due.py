"""What age or its run makes due: records in the order of the ledger, and runs whose last record has gone."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.tokens import moment_of
from app.retention.erasing import RECORDS, erase, erase_records, erase_with_deliveries
from app.retention.phase import BATCH, PAGE, DueRows, Rows
from app.retention.spec import Spec, due, is_owned, of_project
from app.tables import Alarm, Budget, Job, Look, Prompt, Reward, Run, RunMark, RunState, Table, Verdict

_PARTS: tuple[tuple[type[Table], Any], ...] = (
    (RunState, (RunState.run, RunState.version)),
    (RunMark, RunMark.id),
    (Prompt, (Prompt.run, Prompt.prompt)),
    (Alarm, Alarm.id),
    (Look, (Look.run, Look.watch)),
    (Budget, (Budget.recipe, Budget.run, Budget.owner)),
)


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


class DueRuns:
    """One run at a time, batch after batch: a search finds it again until all of it has gone."""

    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        query = select(Run.id).where(Run.id > place, self._due(spec), ~_recorded()).order_by(Run.id).limit(1)
        run = (await connection.execute(query)).one_or_none()
        return DueRows([], place, last=True) if run is None else DueRows([run], place, last=False)

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        (run,) = rows
        for table, key in _PARTS:
            columns = key if isinstance(key, tuple) else (key,)
            parts = select(*columns).where(table.__table__.c.run == run.id).limit(BATCH)
            found = [tuple(row) for row in await connection.execute(parts)]
            if found and table is Alarm:
                return await erase_with_deliveries(connection, Alarm, [name for (name,) in found])
            if found:
                return Counter({table.__tablename__: await erase(connection, table, columns, found)})
        return Counter(runs=await erase(connection, Run, Run.id, [run.id]))

    def _due(self, spec: Spec) -> ColumnElement[bool]:
        """A run that began before the time that is asked for."""
        if spec.run is not None:
            return (Run.id == spec.run) & of_project(spec.project, Run.project)
        return or_(
            *(
                of_project(cutoff.project, Run.project) & (Run.created_at < moment_of(cutoff.until))
                for cutoff in spec.cutoffs
            )
        )


def _recorded() -> ColumnElement[bool]:
    """A run of which something is left to say; jobs that wait will record something."""
    waiting = exists().where(Job.body["run"].as_string() == Run.id, Job.state.in_(("queued", "running")))
    return or_(exists().where(Verdict.run == Run.id), exists().where(Reward.run == Run.id), waiting)
