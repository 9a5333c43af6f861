"""Acts: what administrators did, on record for good. No secret is in them.

An act is recorded in the transaction that carries it out where there is one (:func:`record_in`), else right after
it (:meth:`Acts.record`); one that cannot be recorded fails.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.projects.visibility import Sight
from app.tables.keys import Act
from trueward.wire.key import ActPage, ActView


class Acts:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def record(self, actor: str | None, action: str, target: str, details: Mapping[str, JsonValue]) -> None:
        """``actor`` is the key's id, None keyless; ``action`` is ``<noun>.<verb>``."""
        async with self._db.write() as connection:
            await record_in(connection, actor, action, target, details)

    async def page(self, action: str | None, wanted: PageRange, sight: Sight) -> ActPage:
        """Newest first."""
        query = wanted.newest(select(Act.__table__), Act.id)
        if action is not None:
            query = query.where(Act.action == action)
        async with sight.of(self._db).read() as connection:
            rows = (await connection.execute(query)).all()
        found, following = wanted.cut(rows, lambda row: row.id)
        acts = [
            ActView(
                id=row.id, at=row.created_at, actor=row.actor, action=row.action, target=row.target, details=row.details
            )
            for row in found
        ]
        return ActPage(acts=acts, next=following)


async def record_in(
    connection: AsyncConnection, actor: str | None, action: str, target: str, details: Mapping[str, JsonValue]
) -> None:
    """Within the act's own transaction."""
    row = {"id": new_id(), "actor": actor, "action": action, "target": target, "details": dict(details)}
    await connection.execute(insert(Act).values(**row, created_at=now()))
