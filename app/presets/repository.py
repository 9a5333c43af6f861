"""Stored presets in the database."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from app.kit.clock import now
from app.kit.db import Database
from app.tables.models import Preset as PresetTable
from judges.presets import Preset


class PresetsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def hashes(self) -> dict[str, str]:
        """By name."""
        wanted = select(PresetTable.name, PresetTable.hash).order_by(PresetTable.name)
        async with self._db.read() as connection:
            return {row.name: row.hash for row in await connection.execute(wanted)}

    async def files(self, name: str) -> Mapping[str, str]:
        """Raises :class:`sqlalchemy.exc.NoResultFound`."""
        wanted = select(PresetTable.files).where(PresetTable.name == name)
        async with self._db.read() as connection:
            found: Mapping[str, str] = (await connection.execute(wanted)).scalar_one()
            return found

    async def add(self, preset: Preset, owner: str | None) -> None:
        """Nothing where the name is taken."""
        row = {"name": preset.name, "hash": preset.hash, "files": dict(preset.files)}
        with suppress(IntegrityError):
            async with self._db.write() as connection:
                await connection.execute(insert(PresetTable).values(**row, owner=owner, created_at=now()))
