"""Models in the database. New weights state the version that they follow (compare-and-swap)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue
from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.kit.clock import now
from app.kit.db import Database
from app.lanes.model_source import RegisteredModel, Source
from app.tables.models import Model
from trueward.wire.model import ModelEntry, WeightsRequest


class ModelsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def all(self) -> list[RegisteredModel]:
        """By name."""
        async with self._db.read() as connection:
            return [_registered(row) for row in await connection.execute(select(Model.__table__).order_by(Model.name))]

    async def add(self, model: RegisteredModel) -> bool:
        """False where the name is taken."""
        row = {"name": model.entry.name, "id": model.id, "digest": model.entry.digest, "owner": model.owner}
        made = {"entry": model.entry.model_dump(mode="json"), "weights": 0, "sources": []}
        at = {"created_at": model.created_at, "updated_at": model.created_at}
        try:
            async with self._db.write() as connection:
                await connection.execute(insert(Model).values(**row, **made, **at))
        except IntegrityError:
            return False
        return True

    async def remove(self, name: str) -> bool:
        """False where there is none."""
        async with self._db.write() as connection:
            return (await connection.execute(delete(Model).where(Model.name == name))).rowcount == 1

    async def reweigh(self, model: RegisteredModel, weights: int, sources: Sequence[Source]) -> bool:
        """Version ``weights`` follows that of ``model``; False where another was faster."""
        same = (Model.name == model.entry.name, Model.id == model.id, Model.weights == model.weights)
        new = {"weights": weights, "sources": [_stored(source) for source in sources], "updated_at": now()}
        async with self._db.write() as connection:
            return (await connection.execute(update(Model).where(*same).values(**new))).rowcount == 1


def _stored(source: Source) -> dict[str, JsonValue]:
    return {"request": source.request.model_dump(mode="json"), "tensors": source.tensors}


def _registered(row: Row[tuple[object, ...]]) -> RegisteredModel:
    sources = tuple(Source(WeightsRequest.model_validate(one["request"]), one["tensors"]) for one in row.sources)
    entry = ModelEntry.model_validate(row.entry)
    return RegisteredModel(row.id, entry, row.weights, sources, row.owner, row.created_at)
