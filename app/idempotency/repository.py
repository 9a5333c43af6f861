"""Idempotency keys in the database, for 24 hours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select, update

from app.kit.clock import compute_cutoff, now
from app.kit.db import Database, insert_in
from app.tables.keys import Idempotency


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """What is known of a key: whose body, the seed of its ids, and the answer once there is one."""

    body_hash: str
    seed: str
    status: int | None
    body: str | None


class Claims:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def claim(self, scope: str, key: str, body_hash: str, seed: str) -> KeyClaim:
        """Stores the claim unless the key has one already; returns the one that is stored."""
        row = {"scope": scope, "key": key, "body_hash": body_hash, "seed": seed, "created_at": now()}
        added = insert_in(self._db.dialect, Idempotency).values(**row)
        claim = added.on_conflict_do_nothing().returning(Idempotency.seed)
        columns = select(Idempotency.body_hash, Idempotency.seed, Idempotency.status, Idempotency.body)
        stored = columns.where(Idempotency.scope == scope, Idempotency.key == key)
        async with self._db.write() as connection:
            if (await connection.execute(claim)).first() is not None:
                return KeyClaim(body_hash, seed, None, None)
            return KeyClaim(*(await connection.execute(stored)).one())

    async def store_answer(self, scope: str, key: str, status: int, body: str) -> tuple[int, str]:
        """Stores the answer to a claimed key, unless another server was faster; gives the answer that counts."""
        claimed = (Idempotency.scope == scope, Idempotency.key == key)
        first = update(Idempotency).where(*claimed, Idempotency.status.is_(None)).values(status=status, body=body)
        async with self._db.write() as connection:
            if (await connection.execute(first)).rowcount:
                return status, body
            stored = await connection.execute(select(Idempotency.status, Idempotency.body).where(*claimed))
            row = stored.one_or_none()
        return (status, body) if row is None else (row.status, row.body)

    async def purge(self, older_than: timedelta) -> None:
        async with self._db.write() as connection:
            await connection.execute(delete(Idempotency).where(Idempotency.created_at < compute_cutoff(older_than)))
