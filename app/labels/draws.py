"""Draws: made, listed, shown; and how far their annotators agree."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from app.labels.draws_repository import DrawsRepository
from app.labels.second import acceptances, answers
from trueward.draws import Draw, DrawPage, DrawRequest, NewForm, SuspectedReference
from trueward.errors import FieldProblem, InvalidRequest, NotFound
from trueward.labels import Label

if TYPE_CHECKING:
    from app.labels.queries import View

MOST_ITEMS = 100_000
_READ_THE_ANSWER = (NewForm, SuspectedReference)


class DrawsService:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._repository = DrawsRepository(db)

    async def make(self, spec: DrawRequest, owner: str | None) -> Draw:
        """Raises :class:`InvalidRequest` where there is nothing to draw from, or too much to draw."""
        view = await self._view(spec)
        from app.labels.sampling import drawn

        found = await asyncio.to_thread(drawn, spec, view)
        if found.expected == 0:
            raise _wrong("queries", "no query matches anything, and rest is 0: nothing can be drawn")
        if len(found.items) > MOST_ITEMS:
            raise _wrong("limit", f"{len(found.items)} items, at most {MOST_ITEMS} in one draw: state a limit")
        draw = Draw(
            id=new_id(),
            name=spec.name,
            spec=spec,
            population=found.population,
            drawn=len(found.items),
            states={},
            queries={},
            notes=found.notes,
            owner=owner,
            created_at=now(),
        )
        await self._repository.add(draw, found.items)
        return await self.show(draw.id)

    async def show(self, draw: str) -> Draw:
        """Raises :class:`NotFound`."""
        found = await self._repository.find(draw)
        if found is None:
            raise NotFound(f"there is no draw {draw[:100]!r}; GET /v1/labels/draws lists them")
        return found

    async def page(self, after: str | None, limit: int) -> DrawPage:
        """Newest first."""
        found = await self._repository.page(after, limit + 1)
        return DrawPage(draws=found[:limit], next=found[limit - 1].id if len(found) > limit else None)

    async def first_labels(self, draw: str) -> list[Label]:
        """Raises :class:`NotFound` for an unknown draw."""
        await self.show(draw)
        return await self._repository.first_labels(draw)

    async def _view(self, spec: DrawRequest) -> View:
        subject, population = spec.subject, spec.population
        reads = any(isinstance(query, _READ_THE_ANSWER) for query in spec.queries)
        if reads and subject.verifier is None:
            raise _wrong("queries", "new_form and suspected_reference read a verifier's evidence: name a verifier")
        # with numpy, which nothing else of the service's start needs
        await asyncio.to_thread(import_module, "app.labels.queries")
        from app.audit.labelled.records import read_records
        from app.labels.queries import FEATURES, View, other_of

        records = await read_records(self._db, subject, population, FEATURES)
        if not len(records):
            raise _wrong("population", f"the ledger has nothing of {subject.name} in this population")
        named = {other.model_dump_json(): other for other in map(other_of, spec.queries) if other is not None}
        others = {name: await acceptances(self._db, other, subject, population) for name, other in named.items()}
        read = await answers(self._db, subject, population) if reads else {}
        return View(records, subject.threshold, others, read)


def _wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldProblem(field=field, code="draw", detail=detail)])
