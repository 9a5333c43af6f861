"""Everything that is asked of the tables of jobs.

Until ``accept`` a job is an upload that nobody sees. What is done is known from the ledger: an item whose
``record`` exists there is done, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from pydantic import JsonValue
from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app import tables
from app.kit.clock import compute_cutoff, now
from app.kit.db import Database, insert_in
from app.kit.paging import PageRange
from app.tables import Idempotency, Job, JobItem
from app.verdicts.repository import reward_of, verdict_of
from app.webhooks.outbox import Hook, announce, expect, forget, is_expected
from trueward.wire.job import JobKind, JobPhase, JobView
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict

_OPEN = ("queued", "running")
_ABANDONED = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class QueuedItem:
    """One sample of a job, as JSON, and the record that it will have."""

    position: int
    record: str
    sample_id: str
    sample: str


@dataclass(frozen=True, slots=True)
class JobWork:
    """What a runner needs of a job."""

    id: str
    kind: JobKind
    body: dict[str, JsonValue]
    owner: str | None
    total: int
    position: int
    counts: dict[str, int]


class JobsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def begin(
        self, job: str, kind: JobKind, body: dict[str, JsonValue], owner: str | None, hook: Hook | None = None
    ) -> None:
        """Opens an upload; ``hook`` is told when the job ends."""
        at = now()
        async with self._db.write() as connection:
            await connection.execute(
                insert(Job).values(
                    id=job,
                    kind=kind,
                    body=body,
                    owner=owner,
                    state="queued",
                    total=0,
                    position=0,
                    counts={},
                    created_at=at,
                    updated_at=at,
                )
            )
            if hook is not None:
                await expect(connection, hook, job, owner)

    async def add(self, job: str, items: Sequence[QueuedItem]) -> None:
        """Adds to an upload. Raises sqlalchemy's ``IntegrityError`` where an id repeats."""
        rows = [
            {
                "job": job,
                "position": item.position,
                "record": item.record,
                "sample_id": item.sample_id,
                "sample": item.sample,
            }
            for item in items
        ]
        async with self._db.write() as connection:
            await connection.execute(insert(JobItem), rows)
            await connection.execute(update(Job).where(Job.id == job).values(updated_at=now()))

    async def find_known_ids(self, job: str, ids: Sequence[str]) -> set[str]:
        """Which of these sample ids the upload has already."""
        query = select(JobItem.sample_id).where(JobItem.job == job, JobItem.sample_id.in_(ids))
        async with self._db.read() as connection:
            return set((await connection.execute(query)).scalars())

    async def accept(self, job: str, total: int) -> None:
        """Makes a job of an upload."""
        async with self._db.write() as connection:
            await _accept(connection, job, total)

    async def accept_once(self, job: str, total: int, scope: str, key: str, body_hash: str) -> tuple[str, bool]:
        """The same under an idempotency key, in one transaction with it.

        Returns the job that the key stands for (another than ``job`` where an earlier request was accepted)
        and whether its body was this one.
        """
        claim = (
            insert_in(self._db.dialect, Idempotency)
            .values(scope=scope, key=key, body_hash=body_hash, seed=job, created_at=now())
            .on_conflict_do_nothing()
        )
        stored = select(Idempotency.seed, Idempotency.body_hash).where(
            Idempotency.scope == scope, Idempotency.key == key
        )
        async with self._db.write() as connection:
            await connection.execute(claim)
            seed, hashed = (await connection.execute(stored)).one()
            if seed == job:
                await _accept(connection, job, total)
        return seed, hashed == body_hash

    async def discard(self, job: str) -> None:
        """Forgets an upload, or a job, with its items."""
        async with self._db.write() as connection:
            await forget(connection, [job])
            await connection.execute(delete(Job).where(Job.id == job))

    async def discard_abandoned(self) -> None:
        """Forgets uploads that nothing was added to for an hour: the server that received them was killed."""
        abandoned = (Job.accepted_at.is_(None), Job.updated_at < compute_cutoff(_ABANDONED))
        async with self._db.write() as connection:
            await forget(connection, select(Job.id).where(*abandoned))
            await connection.execute(delete(Job).where(*abandoned))

    async def find(self, job: str, owner: str | None = None) -> JobView | None:
        query = select(Job.__table__).where(Job.id == job, Job.accepted_at.is_not(None))
        if owner is not None:
            query = query.where(Job.owner == owner)
        async with self._db.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else _view(row)

    async def page(self, wanted: PageRange) -> Sequence[JobView]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(Job.__table__).where(Job.accepted_at.is_not(None)), Job.id)
        async with self._db.read() as connection:
            return [_view(row) for row in await connection.execute(query)]

    async def cancel(self, job: str) -> None:
        """Ends a job that has not ended."""
        await self._end(job, "cancelled")

    async def fail(self, job: str, failure: str) -> None:
        await self._end(job, "failed", failure)

    async def _end(self, job: str, state: JobPhase, failure: str | None = None) -> None:
        async with self._db.write() as connection:
            ended = await connection.execute(
                update(Job)
                .where(Job.id == job, Job.state.in_(_OPEN))
                .values(state=state, failure=failure, updated_at=now())
            )
            if ended.rowcount:
                await _announce(connection, job)

    async def list_unfinished(self) -> Sequence[str]:
        """Jobs that have not ended, in order of acceptance."""
        query = (
            select(Job.id)
            .where(Job.state.in_(_OPEN), Job.accepted_at.is_not(None))
            .order_by(Job.accepted_at, Job.id)
            .limit(1000)
        )
        async with self._db.read() as connection:
            return (await connection.execute(query)).scalars().all()

    async def start(self, job: str) -> JobWork | None:
        """Marks a job as running; None where it has ended meanwhile."""
        async with self._db.write() as connection:
            await connection.execute(
                update(Job).where(Job.id == job, Job.state == "queued").values(state="running", updated_at=now())
            )
            found = await connection.execute(select(Job.__table__).where(Job.id == job, Job.state == "running"))
            row = found.one_or_none()
        if row is None:
            return None
        return JobWork(row.id, row.kind, row.body, row.owner, row.total, row.position, row.counts)

    async def items(self, job: str, start: int, limit: int) -> Sequence[QueuedItem]:
        query = (
            select(JobItem.position, JobItem.record, JobItem.sample_id, JobItem.sample)
            .where(JobItem.job == job, JobItem.position >= start)
            .order_by(JobItem.position)
            .limit(limit)
        )
        async with self._db.read() as connection:
            return [QueuedItem(*row) for row in await connection.execute(query)]

    async def outcomes(self, kind: JobKind, job: str, start: int, end: int) -> dict[str, str]:
        """The outcomes of the items from ``start`` to before ``end`` that the ledger has, by record."""
        ledger = tables.Verdict if kind == "verify" else tables.Reward
        query = (
            select(ledger.record, ledger.outcome)
            .join(JobItem, JobItem.record == ledger.record)
            .where(JobItem.job == job, JobItem.position >= start, JobItem.position < end)
        )
        async with self._db.read() as connection:
            return {row.record: row.outcome for row in await connection.execute(query)}

    async def results(self, kind: JobKind, job: str, start: int, end: int) -> Sequence[Verdict | Reward]:
        """What the ledger has of the items from ``start`` to before ``end``, in input order."""
        ledger = tables.Verdict if kind == "verify" else tables.Reward
        query = (
            select(ledger.__table__)
            .join(JobItem, JobItem.record == ledger.record)
            .where(JobItem.job == job, JobItem.position >= start, JobItem.position < end)
            .order_by(JobItem.position)
        )
        async with self._db.read() as connection:
            rows = await connection.execute(query)
            return [verdict_of(row) if kind == "verify" else reward_of(row) for row in rows]

    async def advance(self, job: str, position: int, counts: dict[str, int], *, completed: bool) -> bool:
        """Moves a running job on; False where it was cancelled."""
        state = "completed" if completed else "running"
        async with self._db.write() as connection:
            moved = await connection.execute(
                update(Job)
                .where(Job.id == job, Job.state == "running")
                .values(position=position, counts=counts, state=state, updated_at=now())
            )
            if completed and moved.rowcount:
                await _announce(connection, job)
        return moved.rowcount == 1


async def _accept(connection: AsyncConnection, job: str, total: int) -> None:
    at = now()
    state = "queued" if total else "completed"
    await connection.execute(
        update(Job).where(Job.id == job).values(total=total, state=state, accepted_at=at, updated_at=at)
    )
    if not total:
        await _announce(connection, job)


async def _announce(connection: AsyncConnection, job: str) -> None:
    """It has ended: whoever is to be told is told, by the transaction in which it did."""
    if await is_expected(connection, job):
        view = _view((await connection.execute(select(Job.__table__).where(Job.id == job))).one())
        await announce(connection, job, "job.failed" if view.state == "failed" else "job.ended", view)


def _view(row: Row[tuple[object, ...]]) -> JobView:
    counts = {"total": row.total, "done": row.position, **cast(dict[str, int], row.counts)}
    return JobView(
        id=row.id,
        kind=row.kind,
        state=row.state,
        counts=counts,
        error=row.failure,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
