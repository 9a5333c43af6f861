"""Labels in the database. Never changed: who thinks again adds one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Row, Select, insert, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.kit.paging import PageRange
from app.labels.schemas import LabelQuery
from app.tables import Label as LabelTable
from app.tables import Reward, Sample, Verdict
from trueward.wire.label import Label, LabelsStored

_AT_ONCE = 400
_INSERTED_AT_ONCE = 2000
_BLOCK = 500
_UPLOADS = 4_715_502_300
"""PostgreSQL's advisory lock of uploads: two of the same label at once store it once."""
_LABELS = LabelTable.__table__


class TakenIdError(Exception):
    """A label of this id is stored already, and says something else."""


class LabelsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def samples_of(self, records: Iterable[str]) -> dict[str, str]:
        """The sample of each record that the ledger has, verdict or reward."""
        found: dict[str, str] = {}
        async with self._db.read() as connection:
            for names in _chunks(records):
                for table in (Verdict, Reward):
                    query = select(table.record, table.sample).where(table.record.in_(names))
                    found |= {row.record: row.sample for row in await connection.execute(query)}
        return found

    async def find_known_samples(self, samples: Iterable[str]) -> set[str]:
        """Which of these the ledger has."""
        found: set[str] = set()
        async with self._db.read() as connection:
            for names in _chunks(samples):
                query = select(Sample.fingerprint).where(Sample.fingerprint.in_(names))
                found |= set((await connection.execute(query)).scalars())
        return found

    async def add(self, new: Sequence[Label], restored: Sequence[Label]) -> LabelsStored:
        """Stores all or nothing. ``restored`` keep their ids; raises :class:`TakenIdError` where one is another's."""
        async with self._db.write() as connection:
            if self._db.dialect == "postgresql":
                await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _UPLOADS})
            missing = await _missing(connection, restored)
            await self._refuse_taken(missing)
            said = await _among(connection, LabelTable.sample, {label.sample for label in new})
            words = {_words(label) for label in said if not label.after_reveal}
            speakers = {(label.sample, label.annotator) for label in said if label.annotator}
            unsaid = {words_of: label for label in reversed(new) if (words_of := _words(label)) not in words}
            fresh = list(reversed(unsaid.values()))
            rows = await asyncio.to_thread(lambda: [label.model_dump() for label in (*fresh, *missing)])
            for start in range(0, len(rows), _INSERTED_AT_ONCE):
                await connection.execute(insert(LabelTable), rows[start : start + _INSERTED_AT_ONCE])
        changed = sum((label.sample, label.annotator) in speakers for label in fresh)
        return LabelsStored(stored=len(rows), known=len(new) + len(restored) - len(rows), changed=changed)

    async def _refuse_taken(self, missing: Sequence[Label]) -> None:
        """Raises :class:`TakenIdError` for the id of a label that is not seen."""
        async with self._db.whole.read() as connection:
            for label in await _among(connection, LabelTable.id, {label.id for label in missing}):
                raise TakenIdError(label.id)

    async def find(self, label: str) -> Label | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(_LABELS).where(LabelTable.id == label))).one_or_none()
        return None if row is None else label_of(row)

    async def page(self, query: LabelQuery, wanted: PageRange) -> list[Label]:
        """Newest first, and one beyond."""
        async with self._db.read() as connection:
            return [
                label_of(row) for row in await connection.execute(wanted.newest(_select_labels(query), LabelTable.id))
            ]

    async def blocks(self, query: LabelQuery) -> AsyncIterator[list[Label]]:
        """All of them, those of one sample after one another."""
        place = tuple_(LabelTable.sample, LabelTable.id)
        wanted = _select_labels(query).order_by(LabelTable.sample, LabelTable.id).limit(_BLOCK)
        block: list[Label] = []
        while True:
            following = wanted.where(place > (block[-1].sample, block[-1].id)) if block else wanted
            async with self._db.read() as connection:
                block = [label_of(row) for row in await connection.execute(following)]
            if not block:
                return
            yield block

    async def contents(self, samples: Iterable[str]) -> dict[str, dict[str, JsonValue]]:
        """The samples as they were judged, without id, group and pair."""
        found: dict[str, dict[str, JsonValue]] = {}
        async with self._db.read() as connection:
            for names in _chunks(samples):
                query = select(Sample.fingerprint, Sample.content).where(Sample.fingerprint.in_(names))
                found |= {row.fingerprint: json.loads(row.content) for row in await connection.execute(query)}
        return found


def label_of(row: Row[Any]) -> Label:
    return Label(**row._mapping)


def _select_labels(query: LabelQuery) -> Select[Any]:
    wanted = select(_LABELS)
    for name, value in query.model_dump(exclude_none=True).items():
        wanted = wanted.where(_LABELS.c[name] == value)
    return wanted


async def _missing(connection: AsyncConnection, restored: Sequence[Label]) -> list[Label]:
    """Those that are not stored yet."""
    stored = {label.id: label for label in await _among(connection, LabelTable.id, {label.id for label in restored})}
    for label in restored:
        known = stored.get(label.id)
        if known is not None and known.model_copy(update={"owner": label.owner}) != label:
            raise TakenIdError(label.id)
    return [label for label in restored if label.id not in stored]


async def _among(connection: AsyncConnection, column: Any, names: Iterable[str]) -> list[Label]:
    found: list[Label] = []
    for some in _chunks(names):
        found += [label_of(row) for row in await connection.execute(select(_LABELS).where(column.in_(some)))]
    return found


def _words(label: Label) -> tuple[object, ...]:
    """What makes two labels the same: who says what of which item, and where that comes from."""
    reference = json.dumps(label.reference, sort_keys=True)
    return label.sample, label.annotator, label.source, label.right, label.score, reference


def _chunks(names: Iterable[str]) -> list[list[str]]:
    ordered = sorted(set(names))
    return [ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE)]
