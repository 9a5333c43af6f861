"""Deletions in the database. Whatever changes one is recorded as an act with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.keys.acts import record_in
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.retention.phase import AnyRow, Rows
from app.retention.spec import Spec
from app.tables.jobs import Deletion as DeletionTable
from trueward.wire.deletion import Deletion
from verifiers.legible import legible

_OPEN = ("waiting", "running")
_DELETIONS = DeletionTable.__table__


class DeletionsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, spec: Spec, owner: str | None) -> Deletion:
        name = new_id()
        row = {"id": name, "spec": spec.model_dump(mode="json"), "state": "waiting", "phase": "", "place": ""}
        asked = spec.model_dump(mode="json", exclude={"cutoffs"}, exclude_none=True)
        async with self._db.write() as connection:
            await connection.execute(insert(DeletionTable).values(**row, counts={}, owner=owner, created_at=now()))
            await record_in(connection, owner, "deletion.create", name, asked)
            return _view((await connection.execute(select(_DELETIONS).where(DeletionTable.id == name))).one())

    async def find(self, deletion: str) -> Deletion | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(_DELETIONS).where(DeletionTable.id == deletion))).one_or_none()
        return None if row is None else _view(row)

    async def page(self, wanted: PageRange) -> list[Deletion]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(_DELETIONS), DeletionTable.id)
        async with self._db.read() as connection:
            return [_view(row) for row in await connection.execute(query)]

    async def list_unfinished(self) -> Rows:
        """Oldest first, as they are stored."""
        query = select(_DELETIONS).where(DeletionTable.state.in_(_OPEN)).order_by(DeletionTable.id)
        async with self._db.read() as connection:
            return (await connection.execute(query)).all()

    async def last_policy(self) -> datetime | None:
        """When the policies were applied last."""
        newest = select(func.max(DeletionTable.id)).where(DeletionTable.spec["policy"].as_boolean())
        query = select(DeletionTable.created_at).where(DeletionTable.id == newest.scalar_subquery())
        async with self._db.read() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def wait(self, deletion: str, why: str) -> None:
        async with self._db.write() as connection:
            await _change(connection, deletion, state="waiting", failure=legible(why))

    async def fail(self, deletion: str, why: str) -> None:
        async with self._db.write() as connection:
            await _change(connection, deletion, state="failed", failure=legible(why), finished_at=now())

    async def complete(self, deletion: str, owner: str | None, gone: Mapping[str, int]) -> None:
        async with self._db.write() as connection:
            await _change(connection, deletion, state="completed", failure=None, finished_at=now())
            await record_in(connection, owner, "deletion.complete", deletion, dict(gone))


async def move(connection: AsyncConnection, deletion: str, phase: str, place: str, gone: Counter[str]) -> None:
    """How far a deletion is, in the transaction that carries it there."""
    counts = {name: rows for name, rows in sorted(gone.items()) if rows}
    await _change(connection, deletion, state="running", phase=phase, place=place, counts=counts, failure=None)


async def _change(connection: AsyncConnection, deletion: str, **values: object) -> None:
    await connection.execute(update(DeletionTable).where(DeletionTable.id == deletion).values(**values))


def _view(row: AnyRow) -> Deletion:
    spec = Spec.model_validate(row.spec)
    asked = spec.model_dump(include={"older_than_days", "run", "subject", "project", "policy"})
    return Deletion(
        id=row.id,
        state=row.state,
        **asked,
        rows=row.counts,
        failure=row.failure,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )
