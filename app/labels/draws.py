"""Draws: made, listed, shown; and how far their annotators agree."""

from __future__ import annotations

import asyncio
from datetime import datetime

from app.kit.clock import now
from app.kit.db import Database
from app.kit.lookup import resolve
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.labels.design import view_of, wrong
from app.labels.draws_repository import DrawsRepository
from trueward.errors import NotFound
from trueward.wire.audit import Population
from trueward.wire.draw import Draw, DrawPage, DrawRequest
from trueward.wire.label import Label

MOST_ITEMS = 100_000


class DrawsService:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._repository = DrawsRepository(db)

    async def make(self, spec: DrawRequest, owner: str | None) -> Draw:
        """Raises :class:`InvalidRequest` where there is nothing to draw from, or too much to draw."""
        at = now()
        view = await view_of(self._db, spec, _before(spec.population, at))
        from app.labels.sampling import draw_items

        found = await asyncio.to_thread(draw_items, spec, view)
        if found.expected == 0:
            raise wrong("queries", "no query matches anything, and rest is 0: nothing can be drawn")
        if len(found.items) > MOST_ITEMS:
            raise wrong("limit", f"{len(found.items)} items, at most {MOST_ITEMS} in one draw: state a limit")
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
            created_at=at,
        )
        await self._repository.add(draw, found.items)
        return await self.show(draw.id)

    async def show(self, said: str) -> Draw:
        """By id, or as :mod:`app.kit.lookup` says. Raises :class:`NotFound`."""
        found = await self._repository.find(said) or await self._repository.find(await self.find_id(said))
        if found is None:
            raise _unknown(said)
        return found

    async def find_id(self, said: str) -> str:
        """Of the draw that is meant, as :mod:`app.kit.lookup` says. Raises :class:`NotFound`."""
        draw = resolve(said, "draw", await self._repository.find_candidates(said))
        if draw is None:
            raise _unknown(said)
        return draw

    async def page(self, wanted: PageRange) -> DrawPage:
        """Newest first."""
        found, following = wanted.cut(await self._repository.page(wanted), lambda draw: draw.id)
        return DrawPage(draws=found, next=following)

    async def first_labels(self, said: str) -> list[Label]:
        """Raises :class:`NotFound` for an unknown draw."""
        return await self._repository.first_labels((await self.show(said)).id)


def _unknown(said: str) -> NotFound:
    return NotFound(
        f"there is no draw {said[:100]!r}, by id, name, run or beginning of an id; GET /v1/labels/draws lists them"
    )


def _before(population: Population, at: datetime) -> Population:
    """What is judged while a draw is made is not part of it, so that it can be computed again."""
    if population.until is not None and population.until < at:
        return population
    return population.model_copy(update={"until": at})
