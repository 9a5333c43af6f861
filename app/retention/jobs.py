"""Jobs: what was sent stays with them until they go, or until its subject does."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from app.retention.erasing import erase, erase_with_deliveries
from app.retention.phase import BATCH, AnyRow, DueRows, NotYet, Rows
from app.retention.spec import Spec, due, is_owned
from app.retention.subject import hinting, is_of
from app.tables import Job, JobItem

OPEN = ("queued", "running")


class WholeJobs:
    """Those of a run, or that age makes due by the id that they got: items first, so that no batch is large."""

    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        query = select(Job.id, Job.state).where(Job.accepted_at.is_not(None), Job.id > place).order_by(Job.id)
        if spec.run is not None:
            query = query.where(Job.body["run"].as_string() == spec.run, is_owned(spec.project, Job.owner))
        else:
            query = query.where(due(spec.cutoffs, Job.id, Job.owner), Job.state.not_in(OPEN))
        job = (await connection.execute(query.limit(1))).one_or_none()
        if job is None:
            return DueRows([], place, last=True)
        if job.state in OPEN:
            raise NotYet(f"job {job.id} has to end first; DELETE /v1/jobs/{job.id} ends it")
        items = select(JobItem.job, JobItem.position).where(JobItem.job == job.id)
        rows = (await connection.execute(items.order_by(JobItem.position).limit(BATCH))).all()
        return DueRows(rows or [job], place if rows else job.id, last=False)

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        if hasattr(rows[0], "position"):
            return await _erase_items(connection, rows)
        return await erase_with_deliveries(connection, Job, [row.id for row in rows])


class SubjectItems:
    """Items whose sample is the subject's; the other results of their jobs stay."""

    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        job, _, position = place.partition(" ")
        key = tuple_(JobItem.job, JobItem.position)
        query = select(JobItem.job, JobItem.position, hinting(JobItem.sample).label("sample")).order_by(
            JobItem.job, JobItem.position
        )
        page = (await connection.execute(query.where(key > (job, int(position or -1))).limit(BATCH))).all()
        theirs = [row for row in page if is_of(row.sample, spec.subject or "")]
        rows = await _of_project(connection, spec, theirs)
        return DueRows(rows, f"{page[-1].job} {page[-1].position}" if page else place, last=len(page) < BATCH)

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        return await _erase_items(connection, rows)


async def _of_project(connection: AsyncConnection, spec: Spec, rows: Rows) -> list[AnyRow]:
    names = {row.job for row in rows}
    query = select(Job.id, Job.state).where(Job.id.in_(names), is_owned(spec.project, Job.owner))
    states = {row.id: row.state for row in await connection.execute(query)}
    for job, state in states.items():
        if state in OPEN:
            raise NotYet(f"job {job} has to end first; DELETE /v1/jobs/{job} ends it")
    return [row for row in rows if row.job in states]


async def _erase_items(connection: AsyncConnection, rows: Rows) -> Counter[str]:
    places = [(row.job, row.position) for row in rows]
    return Counter(job_items=await erase(connection, JobItem, (JobItem.job, JobItem.position), places))
