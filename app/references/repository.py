"""Corrected references in the database, and the stored samples that they speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import Row, func, insert, select
from sqlalchemy.exc import IntegrityError

from app.audits.population import outside_audits
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.tables import Params as ParamsTable
from app.tables import Reference as ReferenceTable
from app.tables import Reward as RewardTable
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from trueward.wire.reference import Reference, ReferenceRequest
from trueward.wire.sample import Sample

_AT_ONCE = 400
_REFERENCES = ReferenceTable.__table__


@dataclass(frozen=True, slots=True)
class StoredSample:
    fingerprint: str
    sample: Sample


class ReferencesRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, name: str) -> Reference | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(_REFERENCES).where(ReferenceTable.id == name))).one_or_none()
        return None if row is None else _reference(row)

    async def page(self, prompt: str | None, wanted: PageRange) -> list[Reference]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(_REFERENCES), ReferenceTable.id)
        if prompt is not None:
            query = query.where(ReferenceTable.prompt == prompt)
        async with self._db.read() as connection:
            return [_reference(row) for row in await connection.execute(query)]

    async def sample_of(self, request: ReferenceRequest) -> str | None:
        """The fingerprint of a stored sample with the prompt that is meant; None where the ledger has none."""
        if request.record is not None:
            queries = [
                select(table.sample).where(table.record == request.record) for table in (VerdictTable, RewardTable)
            ]
        elif request.sample is not None:
            queries = [select(SampleTable.fingerprint).where(SampleTable.fingerprint == request.sample)]
        else:
            queries = [select(ReferenceTable.sample).where(ReferenceTable.prompt == request.prompt).limit(1)]
        async with self._db.read() as connection:
            for query in queries:
                found: str | None = (await connection.execute(query)).scalar()
                if found is not None:
                    return found
        return None

    async def content(self, sample: str) -> dict[str, JsonValue]:
        query = select(SampleTable.content).where(SampleTable.fingerprint == sample)
        async with self._db.read() as connection:
            content: dict[str, JsonValue] = from_json((await connection.execute(query)).scalar_one())
        return content

    async def add(
        self, prompt: str, sample: str, was: JsonValue, request: ReferenceRequest, owner: str | None
    ) -> Reference:
        """The next version, whoever has made those before; again where another was faster."""
        while True:
            versions = select(func.max(ReferenceTable.version)).where(ReferenceTable.prompt == prompt)
            said = request.model_dump(include={"reference", "reason", "annotator"})
            try:
                async with self._db.whole.write() as connection:
                    version = ((await connection.execute(versions)).scalar() or 0) + 1
                    named = {"id": new_id(), "prompt": prompt, "version": version, "sample": sample, "was": was}
                    made = Reference(**named, **said, owner=owner, created_at=now())
                    await connection.execute(insert(ReferenceTable).values(**made.model_dump()))
            except IntegrityError:
                continue
            return made

    async def samples_with(self, begins: str, was: JsonValue, limit: int) -> list[StoredSample]:
        """Stored samples whose content begins so and whose reference is ``was``. Looks through all samples, in the
        database."""
        same = func.substr(SampleTable.content, 1, len(begins)) == begins
        query = select(SampleTable.fingerprint, SampleTable.content).where(same).order_by(SampleTable.fingerprint)
        found = []
        async with self._db.read() as connection:
            async for row in await connection.stream(query):
                content = from_json(row.content)
                if content.get("reference") == was:
                    found.append(StoredSample(row.fingerprint, Sample.model_validate(content)))
                if len(found) == limit:
                    break
        return found

    async def verdicts(self, samples: Sequence[str]) -> list[Row[Any]]:
        """What was said of these samples outside of audits, oldest first."""
        columns = (VerdictTable.record, VerdictTable.sample, VerdictTable.verifier, VerdictTable.params)
        query: Any = select(*columns, VerdictTable.outcome, VerdictTable.score).order_by(VerdictTable.record)
        query = query.where(outside_audits(VerdictTable.run))
        found: list[Row[Any]] = []
        async with self._db.read() as connection:
            for at in range(0, len(samples), _AT_ONCE):
                found += await connection.execute(query.where(VerdictTable.sample.in_(samples[at : at + _AT_ONCE])))
        return sorted(found, key=lambda row: str(row.record))

    async def params(self, verifier: str, digest: str) -> dict[str, JsonValue]:
        query = select(ParamsTable.body).where(ParamsTable.hash == digest, ParamsTable.verifier == verifier)
        async with self._db.read() as connection:
            return (await connection.execute(query)).scalar_one()


def _reference(row: Row[Any]) -> Reference:
    return Reference(**row._mapping)
