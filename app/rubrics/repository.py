"""Verdicts by rubrics in the ledger: which rubrics, and the scores of one's criteria, a page at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, func, select

from app.kit.db import Database
from app.tables import Verdict
from trueward.rubrics.correlation import RubricUse

_PAGE = 2000
_VERDICTS = Verdict.__table__
_rubric: ColumnElement[str] = _VERDICTS.c.evidence["rubric"].as_string()


class RubricsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def most_used(self, verifier: str, run: str | None, most: int) -> list[RubricUse]:
        """The rubrics with most verdicts first."""
        count = func.count()
        query = select(_rubric.label("rubric"), count.label("verdicts")).where(
            *_of(verifier, run), _rubric.is_not(None)
        )
        query = query.group_by("rubric").order_by(count.desc(), "rubric").limit(most)
        async with self._db.read() as connection:
            return [RubricUse(rubric=row.rubric, verdicts=row.verdicts) for row in await connection.execute(query)]

    async def count(self, verifier: str, run: str | None, rubric: str) -> int:
        query = select(func.count()).select_from(_VERDICTS).where(*_of(verifier, run), _rubric == rubric)
        async with self._db.read() as connection:
            found: int = (await connection.execute(query)).scalar_one()
        return found

    async def scores(
        self, verifier: str, run: str | None, rubric: str, most: int
    ) -> AsyncIterator[list[Mapping[str, float]]]:
        """Pages of the latest verdicts' scores by criterion, latest first."""
        before: str | None = None
        while most > 0:
            query = select(Verdict.record, _VERDICTS.c.evidence["criteria"].as_json().label("criteria"))
            query = query.where(*_of(verifier, run), _rubric == rubric)
            if before is not None:
                query = query.where(Verdict.record < before)
            query = query.order_by(Verdict.record.desc()).limit(min(most, _PAGE))
            async with self._db.read() as connection:
                rows = (await connection.execute(query)).all()
            if not rows:
                return
            yield [_scores(row.criteria) for row in rows]
            before, most = rows[-1].record, most - len(rows)


def _of(verifier: str, run: str | None) -> tuple[ColumnElement[bool], ...]:
    return (Verdict.verifier == verifier, *(() if run is None else (Verdict.run == run,)))


def _scores(criteria: Any) -> dict[str, float]:
    """Of a verdict's evidence; one on the whole rubric has none."""
    entries = criteria.items() if isinstance(criteria, dict) else ()
    return {
        name: float(entry["score"])
        for name, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("score"), (int, float))
    }
