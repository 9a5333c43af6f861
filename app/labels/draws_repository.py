"""Draws and their items in the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from sqlalchemy import func, insert, select

from app.kit.db import Database
from app.kit.lookup import LATEST, Candidate, match_columns
from app.kit.paging import PageRange
from app.labels.queue import close_judged
from app.labels.repository import label_of
from app.tables import Draw as DrawTable
from app.tables import DrawItem
from app.tables import Label as LabelTable
from trueward.wire.draw import Draw, DrawRequest, DrawSummary, ItemState
from trueward.wire.label import Label

if TYPE_CHECKING:
    from app.labels.sampling import DrawnItem

_INSERTED_AT_ONCE = 2000


class DrawsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, draw: Draw, items: Sequence[DrawnItem]) -> None:
        row = draw.model_dump(mode="json", include={"id", "name", "spec", "population", "drawn", "notes", "owner"})
        places = [
            {"draw": draw.id, "position": place, "state": "open", **item._asdict()} for place, item in enumerate(items)
        ]
        async with self._db.write() as connection:
            await connection.execute(insert(DrawTable).values(**row, created_at=draw.created_at))
            for start in range(0, len(places), _INSERTED_AT_ONCE):
                await connection.execute(insert(DrawItem), places[start : start + _INSERTED_AT_ONCE])
            await close_judged(connection, DrawItem.draw == draw.id)

    async def find(self, draw: str) -> Draw | None:
        counted = select(DrawItem.state, DrawItem.query, func.count().label("items")).where(DrawItem.draw == draw)
        async with self._db.read() as connection:
            row = (await connection.execute(select(DrawTable.__table__).where(DrawTable.id == draw))).one_or_none()
            counts = (await connection.execute(counted.group_by(DrawItem.state, DrawItem.query))).all()
        if row is None:
            return None
        states: Counter[str] = Counter()
        queries: Counter[str] = Counter()
        for state, query, items in counts:
            states[state] += items
            queries[query] += items
        return Draw.model_validate({**row._mapping, "states": states, "queries": queries})

    async def find_candidates(self, said: str) -> list[Candidate]:
        """The draws that may be meant."""
        run = DrawTable.spec["population"]["run"].as_string().label("run")
        query = select(DrawTable.id, DrawTable.name, run).where(*match_columns(said, DrawTable.id, DrawTable.name, run))
        newest = query.order_by(DrawTable.id.desc())
        async with self._db.read() as connection:
            rows = await connection.execute(newest.limit(1) if said == LATEST else newest)
            return [Candidate(row.id, row.name, row.run) for row in rows]

    async def of_cells(self) -> list[Draw]:
        """Those that aims made, without their counts, oldest first."""
        first = DrawTable.spec["queries"][0]["query"].as_string()
        query = select(DrawTable.__table__).where(first == "cell").order_by(DrawTable.id)
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).all()
        return [Draw.model_validate({**row._mapping, "states": {}, "queries": {}}) for row in rows]

    async def page(self, wanted: PageRange) -> list[DrawSummary]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(DrawTable.__table__), DrawTable.id)
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).all()
        return [
            DrawSummary(
                id=row.id,
                name=row.name,
                subject=DrawRequest.model_validate(row.spec).subject.name,
                population=row.population,
                drawn=row.drawn,
                created_at=row.created_at,
            )
            for row in rows
        ]

    async def states(self, draws: Sequence[str]) -> dict[str, dict[ItemState, int]]:
        """How many items of each draw are in each state."""
        counted = select(DrawItem.draw, DrawItem.state, func.count().label("items")).where(DrawItem.draw.in_(draws))
        found: dict[str, dict[ItemState, int]] = {draw: {} for draw in draws}
        async with self._db.read() as connection:
            rows = (await connection.execute(counted.group_by(DrawItem.draw, DrawItem.state))).all()
        states: tuple[ItemState, ...] = get_args(ItemState)
        for draw, named, items in rows:
            found[draw] |= {state: items for state in states if state == named}
        return found

    async def annotators(self, draw: str) -> dict[str, int]:
        """How many items each annotator has labelled before any verdict was seen, by name."""
        labels = select(LabelTable.annotator, func.count(LabelTable.position.distinct()))
        labels = labels.where(LabelTable.draw == draw, LabelTable.after_reveal.is_(False))
        async with self._db.read() as connection:
            rows = await connection.execute(labels.group_by(LabelTable.annotator).order_by(LabelTable.annotator))
            return {row[0]: row[1] for row in rows}

    async def first_labels(self, draw: str) -> list[Label]:
        """Those that were given before any verdict was seen, oldest first."""
        query = select(LabelTable.__table__).where(LabelTable.draw == draw, LabelTable.after_reveal.is_(False))
        async with self._db.read() as connection:
            return [label_of(row) for row in await connection.execute(query.order_by(LabelTable.id))]
