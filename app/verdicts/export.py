"""Records of the ledger with their samples, to be kept as a file: those that somebody chose, or that a search finds.

An export is read in batches, so that it holds no more than one of them, and is bounded in records and in work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import Select, select

from app.kit.db import Database
from app.tables import Reward, Sample, Verdict
from app.verdicts.filters import Kind, LedgerFilters
from app.verdicts.search import Cursor, LedgerSearch, SearchResult
from trueward.wire.base import Wire

MOST = 10_000
_BATCH = 200
_PAGES = 200
"""Of a search; one that finds little ends there."""
_CONTENT = ("prompt", "response", "reference")


class ExportRow(Wire):
    """A record and its sample. ``by`` is a verifier or a recipe, ``score`` a verdict's score or a reward."""

    record: str
    kind: Kind
    created_at: str
    id: str | None
    group: str | None
    run: str | None
    step: int | None
    policy: str | None
    split: str
    data_source: str | None
    by: str
    version: str
    outcome: str
    score: float | None
    reason_code: str
    reason: str
    extracted: str | None
    prompt: JsonValue
    response: JsonValue
    reference: JsonValue


class LedgerExport:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._search = LedgerSearch(db)

    async def search(self, filters: LedgerFilters, most: int = MOST) -> AsyncIterator[Sequence[ExportRow]]:
        """What the search finds, newest first."""
        async for page in self._pages(filters, most):
            yield await self._rows(filters.kind, page)

    async def of(self, kind: Kind, records: Sequence[str]) -> AsyncIterator[Sequence[ExportRow]]:
        """These records, newest first; those that the ledger does not have are left out."""
        ordered = sorted(set(records), reverse=True)
        for start in range(0, len(ordered), _BATCH):
            yield await self._rows(kind, await self._search.records(kind, ordered[start : start + _BATCH]))

    async def names(self, filters: LedgerFilters, most: int) -> list[str]:
        """The records that the search finds, newest first."""
        return [row.record async for page in self._pages(filters, most) for row in page.rows]

    async def sources(self, kind: Kind, records: Collection[str]) -> set[tuple[str, str | None]]:
        """By which verifiers or recipes, as ``name@hash``, and in which runs the records were made."""
        table = Verdict if kind == "verdict" else Reward
        by = (Verdict.verifier,) if kind == "verdict" else (Reward.recipe_name, Reward.recipe)
        query: Select[Any] = select(*by, table.run).where(table.record.in_(records)).distinct()
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).all()
        return {("@".join(row[:-1]), row.run) for row in rows}

    async def _pages(self, filters: LedgerFilters, most: int) -> AsyncIterator[SearchResult]:
        cursor, left = Cursor(), most
        for _ in range(_PAGES):
            page = await self._search.page(filters, cursor, min(left, _BATCH))
            yield page
            left -= len(page.rows)
            if not page.more or left <= 0:
                return
            cursor = Cursor(page.stopped or page.rows[-1].record)

    async def _rows(self, kind: Kind, page: SearchResult) -> list[ExportRow]:
        samples = {row.sample for row in page.rows}
        wanted = select(Sample.fingerprint, Sample.content).where(Sample.fingerprint.in_(samples))
        async with self._db.read() as connection:
            contents = {row.fingerprint: from_json(row.content) for row in await connection.execute(wanted)}
        told = zip(page.rows, page.extracted, strict=True)
        return [_row(kind, row, extracted, contents.get(row.sample, {})) for row, extracted in told]


def _row(kind: Kind, row: Any, extracted: str | None, content: dict[str, JsonValue]) -> ExportRow:
    if kind == "verdict":
        said, producer = row.verdict, row.verdict.producer
        by, version, score = producer.name, producer.version, said.score
    else:
        said, by, version, score = row.reward, row.recipe_name, row.recipe, row.reward.reward
    same = ("record", "group", "run", "step", "policy", "split", "data_source")
    return ExportRow(
        kind=kind,
        created_at=row.created_at.isoformat(),
        id=said.id,
        by=by,
        version=version,
        outcome=said.outcome.value,
        score=score,
        reason_code=said.reason_code,
        reason=said.reason,
        extracted=extracted,
        **{name: getattr(row, name) for name in same},
        **{name: content.get(name) for name in _CONTENT},
    )
