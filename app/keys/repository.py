"""API keys in the database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Row, insert, select, update

from app.keys.schemas import KeyView
from app.kit.clock import now
from app.kit.db import Database
from app.tables.key import Key


class KeysRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, key_id: str, name: str, digest: str, scopes: Sequence[str]) -> KeyView:
        view = KeyView(id=key_id, name=name, scopes=list(scopes), created_at=now())
        async with self._db.write() as connection:
            await connection.execute(
                insert(Key).values(id=view.id, name=name, digest=digest, scopes=view.scopes, created_at=view.created_at)
            )
        return view

    async def by_digest(self, digest: str) -> KeyView | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(Key.__table__).where(Key.digest == digest))).first()
        return _view(row) if row else None

    async def by_id(self, key_id: str) -> KeyView | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(Key.__table__).where(Key.id == key_id))).first()
        return _view(row) if row else None

    async def list(self) -> list[KeyView]:
        async with self._db.read() as connection:
            return [_view(row) for row in await connection.execute(select(Key.__table__).order_by(Key.id))]

    async def revoke(self, key_id: str) -> KeyView | None:
        """The key, revoked now or before; None where there is none."""
        async with self._db.write() as connection:
            unrevoked = update(Key).where(Key.id == key_id, Key.revoked_at.is_(None))
            await connection.execute(unrevoked.values(revoked_at=now()))
            row = (await connection.execute(select(Key.__table__).where(Key.id == key_id))).first()
        return _view(row) if row else None


def _view(row: Row[tuple[object, ...]]) -> KeyView:
    return KeyView(id=row.id, name=row.name, scopes=row.scopes, created_at=row.created_at, revoked_at=row.revoked_at)
