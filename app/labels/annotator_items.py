"""What one annotator has of a draw: the items that they were given, and what they have said of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, select

from app.kit.db import Database
from app.labels.ledger_view import list_verdicts
from app.labels.repository import label_of
from app.tables import DrawHold, DrawItem, Sample
from app.tables import Label as LabelTable
from trueward.wire.draw import DrawnVerdict, ItemState
from trueward.wire.label import Label
from trueward.wire.sample import Sample as WireSample


@dataclass(frozen=True, slots=True)
class OwnItem:
    """``until`` is when the hold ends, or ended; None where it was given up by labelling.

    ``labels`` are the annotator's own, oldest first. While there is none, the item is blind: ``said`` is empty.
    """

    position: int
    state: ItemState
    sample: WireSample
    record: str
    query: str
    until: datetime | None
    labels: list[Label]
    said: list[DrawnVerdict]


class OwnItems:
    def __init__(self, db: Database, draw: str, annotator: str) -> None:
        self._db = db
        self._draw = draw
        self._annotator = annotator

    async def find(self, position: int) -> OwnItem | None:
        """None for an item that the annotator was not given, or gave back."""
        held = select(DrawHold.until).where(DrawHold.draw == self._draw, DrawHold.position == position)
        held = held.where(DrawHold.annotator == self._annotator)
        labels = self._labels(position).order_by(LabelTable.id)
        content = select(DrawItem.__table__, Sample.content).join(Sample, Sample.fingerprint == DrawItem.sample)
        async with self._db.read() as connection:
            own = [label_of(row) for row in await connection.execute(labels)]
            until = (await connection.execute(held)).scalar_one_or_none()
            if until is None and not own:
                return None
            found = content.where(DrawItem.draw == self._draw, DrawItem.position == position)
            item = (await connection.execute(found)).one()
            said = await list_verdicts(connection, item.sample) if own else []
        return _own(item, until, own, said)

    async def find_before(self, label: str | None) -> int | None:
        """The item that the annotator labelled before the one with this label; None: the last one."""
        earlier = self._first_labels().order_by(LabelTable.id.desc())
        return await self._position(earlier if label is None else earlier.where(LabelTable.id < label))

    async def find_after(self, label: str) -> int | None:
        """The item that the annotator labelled after the one with this label."""
        return await self._position(self._first_labels().where(LabelTable.id > label).order_by(LabelTable.id))

    def _labels(self, position: int) -> Select[Any]:
        own = select(LabelTable.__table__).where(LabelTable.draw == self._draw, LabelTable.position == position)
        return own.where(LabelTable.annotator == self._annotator)

    def _first_labels(self) -> Select[Any]:
        own = select(LabelTable.position).where(LabelTable.draw == self._draw, LabelTable.after_reveal.is_(False))
        return own.where(LabelTable.annotator == self._annotator).limit(1)

    async def _position(self, query: Select[Any]) -> int | None:
        async with self._db.read() as connection:
            found: int | None = (await connection.execute(query)).scalar_one_or_none()
        return found


def _own(item: Row[Any], until: datetime | None, labels: list[Label], said: list[DrawnVerdict]) -> OwnItem:
    return OwnItem(
        position=item.position,
        state=item.state,
        sample=WireSample.model_validate(json.loads(item.content)),
        record=item.record,
        query=item.query,
        until=until,
        labels=labels,
        said=said,
    )
