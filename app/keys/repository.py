"""API keys in the database. Each change is recorded as an act in the transaction that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.keys.acts import record_in
from app.kit.clock import now
from app.kit.db import Database
from app.projects.schemas import decode_project, encode_project
from app.tables.keys import Key
from trueward.wire.key import KeyView

_KEYS = Key.__table__


class KeysRepository:
    def __init__(self, db: Database) -> None:
        self.db = db

    async def add(self, view: KeyView, digest: str, actor: str | None) -> bool:
        """False where there is no such project."""
        try:
            async with self.db.write() as connection:
                await connection.execute(insert(Key).values(**_row(view, digest)))
                await record_in(connection, actor, "key.create", view.id, _plain_fields(view))
        except IntegrityError:
            return False
        return True

    async def by_digest(self, digest: str) -> KeyView | None:
        return await self._find(Key.digest == digest)

    async def digest_of(self, prefix: str) -> str | None:
        """Of the key with this prefix: nothing more is read of a key before its secret is known to be right."""
        async with self.db.read() as connection:
            digest: str | None = await connection.scalar(select(Key.digest).where(Key.prefix == prefix))
        return digest

    async def by_id(self, key_id: str) -> KeyView | None:
        return await self._find(Key.id == key_id)

    async def list(self) -> list[KeyView]:
        async with self.db.read() as connection:
            return [_view(row) for row in await connection.execute(select(_KEYS).order_by(Key.id))]

    async def change(self, key_id: str, changes: Mapping[str, Any], actor: str | None) -> KeyView | None:
        """The key with its changed quotas and end; None where there is none."""
        async with self.db.write() as connection:
            await connection.execute(update(Key).where(Key.id == key_id).values(**changes))
            row = (await connection.execute(select(_KEYS).where(Key.id == key_id))).first()
            if row is None:
                return None
            told: dict[str, Any] = {name: _plain(value) for name, value in changes.items()}
            await record_in(connection, actor, "key.change", key_id, told)
        return _view(row)

    async def rotate(self, old: str, new: KeyView, digest: str, grace_s: float, actor: str | None) -> bool:
        """Stores the new key and ends the old one, now or after the grace; False where it was revoked meanwhile."""
        at = now()
        async with self.db.write() as connection:
            unrevoked = select(Key.expires_at).where(Key.id == old, Key.revoked_at.is_(None)).with_for_update()
            row = (await connection.execute(unrevoked)).first()
            if row is None:
                return False
            ends = at + timedelta(seconds=grace_s)
            ending = {"expires_at": min(row.expires_at or ends, ends)} if grace_s else {"revoked_at": at}
            await connection.execute(update(Key).where(Key.id == old).values(**ending))
            await connection.execute(insert(Key).values(**_row(new, digest)))
            await record_in(
                connection, actor, "key.rotate", old, {**_plain_fields(new), "new": new.id, "grace_s": grace_s}
            )
        return True

    async def revoke(self, key_id: str, actor: str | None) -> KeyView | None:
        """The key, revoked now or before; None where there is none."""
        async with self.db.write() as connection:
            unrevoked = update(Key).where(Key.id == key_id, Key.revoked_at.is_(None))
            revoked = (await connection.execute(unrevoked.values(revoked_at=now()))).rowcount
            row = (await connection.execute(select(_KEYS).where(Key.id == key_id))).first()
            if row is not None and revoked:
                await record_in(connection, actor, "key.revoke", key_id, {"name": row.name})
        return _view(row) if row else None

    async def _find(self, condition: ColumnElement[bool]) -> KeyView | None:
        async with self.db.read() as connection:
            row = (await connection.execute(select(_KEYS).where(condition))).first()
        return _view(row) if row else None


def _row(view: KeyView, digest: str) -> dict[str, Any]:
    return {
        **view.model_dump(include=set(KeyView.model_fields)),
        "project": encode_project(view.project),
        "digest": digest,
    }


def _view(row: Row[tuple[object, ...]]) -> KeyView:
    values = {name: row._mapping[name] for name in KeyView.model_fields}
    return KeyView(**{**values, "project": decode_project(row.project)})


def _plain_fields(view: KeyView) -> dict[str, Any]:
    names = ("name", "project", "prefix", "scopes", "samples_per_minute", "cost_per_minute", "expires_at")
    return {name: _plain(getattr(view, name)) for name in names}


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
