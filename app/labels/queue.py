"""The queue of a draw: who gets which item next, for how long, and what becomes of it.

Whatever changes an item locks its draw first, so that two who ask at once are served one after the other, on both
databases. An annotator who has labelled a response in any draw has seen what was said of it, and gets it no more; what
enough annotators have labelled is done in every draw of the same guidelines.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, bindparam, delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import aliased

from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from app.labels.ledger_view import list_verdicts
from app.labels.repository import label_of
from app.tables import Draw as DrawTable
from app.tables import DrawHold, DrawItem, Sample
from app.tables import Label as LabelTable
from trueward.errors import Conflict, NotFound
from trueward.wire.draw import BlindItem, DrawRequest, ItemLabel, ItemState, ItemView, Revealed
from trueward.wire.label import Label
from trueward.wire.sample import Sample as WireSample

_HOLD_FIRST = "hold it first: POST /v1/labels/draws/{draw}/next gives items, for as long as the draw's hold_s"


class LabelQueue:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def next(self, draw: str, annotator: str) -> BlindItem | None:
        """The annotator's own item, held anew, else the next open one; None where there is none at the moment.

        Raises :class:`NotFound`.
        """
        async with self._db.write() as connection:
            spec = await _locked(connection, draw)
            at = now()
            until = at + timedelta(seconds=float(spec.hold_s))
            item = await _free(connection, draw, annotator, spec.annotators_per_item, at)
            if item is None:
                return None
            await _drop_hold(connection, item, annotator)
            held = {"draw": draw, "position": item.position, "annotator": annotator, "until": until}
            await connection.execute(insert(DrawHold).values(**held))
            content = select(Sample.content).where(Sample.fingerprint == item.sample)
            shown = WireSample.model_validate(json.loads((await connection.execute(content)).scalar_one()))
        return BlindItem(
            **held,
            prompt=shown.prompt,
            response=shown.response,
            reference=shown.reference,
            data_source=shown.data_source,
        )

    async def submit(
        self, draw: str, position: int, said: ItemLabel, owner: str | None, known: str | None = None
    ) -> Revealed:
        """Stores a label, and reveals what was said of the response.

        ``known`` is the annotator's last label of this item as far as whoever sends this one knows, empty for none. If
        there is another by now, the same form came twice: that one is the answer, and nothing is stored.

        Raises :class:`NotFound`, and :class:`Conflict` for an item that the annotator was never given.
        """
        async with self._db.write() as connection:
            await _locked(connection, draw)
            item = await _item(connection, draw, position)
            label = await _unknown(connection, item, said.annotator, known)
            if label is None:
                label = await _stored(connection, item, said, owner)
            await close_judged(connection, DrawItem.sample == item.sample)
            state = (await _item(connection, draw, position)).state
            said_before = await list_verdicts(connection, item.sample)
        return Revealed(label=label, state=state, query=item.query, said=said_before)

    async def release(self, draw: str, position: int, annotator: str) -> ItemView:
        """Gives an item back: the next who asks may have it. Raises :class:`NotFound`."""
        async with self._db.write() as connection:
            await _locked(connection, draw)
            item = await _item(connection, draw, position)
            await _drop_hold(connection, item, annotator)
        return ItemView(draw=draw, position=position, state=item.state)

    async def skip(self, draw: str, position: int, annotator: str) -> ItemView:
        """Takes an item out of the queue, for everybody. Raises :class:`NotFound`, :class:`Conflict` for a done one."""
        async with self._db.write() as connection:
            await _locked(connection, draw)
            item = await _item(connection, draw, position)
            if item.state == "done":
                raise Conflict(f"item {position} is done: what was said of it stays")
            await _drop_hold(connection, item, annotator)
            await _set_states(connection, [item], "skipped")
        return ItemView(draw=draw, position=position, state="skipped")


async def _locked(connection: AsyncConnection, draw: str) -> DrawRequest:
    """The draw's specification; whoever asks for it next waits until this transaction has ended."""
    query = select(DrawTable.spec).where(DrawTable.id == draw).with_for_update()
    spec = (await connection.execute(query)).scalar_one_or_none()
    if spec is None:
        raise NotFound(f"there is no draw {draw[:100]!r}; GET /v1/labels/draws lists them")
    return DrawRequest.model_validate(spec)


async def _free(connection: AsyncConnection, draw: str, annotator: str, per_item: int, at: datetime) -> Row[Any] | None:
    """The open item that the annotator holds, else the first that is not taken by as many as it needs.

    Two queries, so that each ends at the first item that it finds: a large draw has many open ones.
    """
    seen = exists().where(*_where_seen(DrawItem.sample, annotator))
    open_items = select(DrawItem.__table__).where(DrawItem.draw == draw, DrawItem.state == "open", ~seen)
    open_items = open_items.order_by(DrawItem.position).limit(1)
    held = (DrawHold.draw == DrawItem.draw) & (DrawHold.position == DrawItem.position) & (DrawHold.until > at)
    own = select(DrawHold.position).where(DrawHold.draw == draw, DrawHold.annotator == annotator, DrawHold.until > at)
    item = (await connection.execute(open_items.where(DrawItem.position.in_(own)))).one_or_none()
    if item is None:
        holders = select(func.count()).where(held).scalar_subquery()
        unclaimed = open_items.where(holders + _count_judges().scalar_subquery() < per_item)
        item = (await connection.execute(unclaimed)).one_or_none()
    return item


def _where_seen(sample: Any, annotator: str) -> tuple[ColumnElement[bool], ...]:
    """Labels of a sample that the annotator gave in a queue, which then said what there was to know, or after that."""
    seen = LabelTable.draw.is_not(None) | LabelTable.after_reveal
    return LabelTable.sample == sample, LabelTable.annotator == annotator, seen


def _count_judges() -> Any:
    """How many annotators have labelled an item, before they saw anything."""
    on_item = (LabelTable.draw == DrawItem.draw) & (LabelTable.position == DrawItem.position)
    return select(func.count(LabelTable.annotator.distinct())).where(on_item, LabelTable.after_reveal.is_(False))


async def close_judged(connection: AsyncConnection, which: ColumnElement[bool]) -> None:
    """Open items are done whose content enough annotators have labelled, be it in another draw with the same
    guidelines: with others they were asked something else."""
    theirs = aliased(DrawTable)
    same = theirs.spec["guidelines"].as_string() == DrawTable.spec["guidelines"].as_string()
    asked = select(theirs.id).where(same).correlate(DrawTable)
    on_content = (LabelTable.sample == DrawItem.sample) & LabelTable.after_reveal.is_(False)
    judges = select(func.count(LabelTable.annotator.distinct())).where(on_content, LabelTable.draw.in_(asked))
    judged = judges.correlate(DrawItem, DrawTable).scalar_subquery()
    query = select(DrawItem.draw, DrawItem.position, judged.label("judges"), DrawTable.spec)
    query = query.join(DrawTable, DrawTable.id == DrawItem.draw).where(which, DrawItem.state == "open", judged > 0)
    items = (await connection.execute(query)).all()
    specs = {item.draw: item.spec for item in items}
    needed = {draw: DrawRequest.model_validate(spec).annotators_per_item for draw, spec in specs.items()}
    done = [item for item in items if item.judges >= needed[item.draw]]
    await _set_states(connection, done, "done")


async def _has_seen(connection: AsyncConnection, item: Row[Any], annotator: str) -> bool:
    found = await connection.execute(select(exists().where(*_where_seen(item.sample, annotator))))
    return bool(found.scalar_one())


async def _item(connection: AsyncConnection, draw: str, position: int) -> Row[Any]:
    query = select(DrawItem.__table__).where(DrawItem.draw == draw, DrawItem.position == position)
    item = (await connection.execute(query)).one_or_none()
    if item is None:
        raise NotFound(f"draw {draw} has no item {position}")
    return item


async def _unknown(connection: AsyncConnection, item: Row[Any], annotator: str, known: str | None) -> Label | None:
    """The annotator's last label of the item, where it is another than the known one."""
    if known is None:
        return None
    own = select(LabelTable.__table__).where(LabelTable.draw == item.draw, LabelTable.position == item.position)
    own = own.where(LabelTable.annotator == annotator).order_by(LabelTable.id.desc()).limit(1)
    last = (await connection.execute(own)).one_or_none()
    return None if last is None or last.id == known else label_of(last)


async def _stored(connection: AsyncConnection, item: Row[Any], said: ItemLabel, owner: str | None) -> Label:
    after_reveal = await _has_seen(connection, item, said.annotator)
    if not await _drop_hold(connection, item, said.annotator) and not after_reveal:
        raise Conflict(f"item {item.position} was not given to {said.annotator[:100]!r}: {_HOLD_FIRST}")
    label = Label(
        **said.model_dump(),
        id=new_id(),
        sample=item.sample,
        record=item.record,
        source="human",
        probability=item.probability,
        draw=item.draw,
        position=item.position,
        after_reveal=after_reveal,
        owner=owner,
        created_at=now(),
    )
    await connection.execute(insert(LabelTable).values(**label.model_dump()))
    return label


async def _drop_hold(connection: AsyncConnection, item: Row[Any], annotator: str) -> bool:
    """Whether the annotator had the item, be it longer ago than it was held."""
    held = delete(DrawHold).where(
        DrawHold.draw == item.draw, DrawHold.position == item.position, DrawHold.annotator == annotator
    )
    return (await connection.execute(held)).rowcount > 0


async def _set_states(connection: AsyncConnection, items: Sequence[Row[Any]], state: ItemState) -> None:
    if not items:
        return
    at = (DrawItem.draw == bindparam("of")) & (DrawItem.position == bindparam("place"))
    changed = update(DrawItem).where(at).values(state=state)
    await connection.execute(changed, [{"of": item.draw, "place": item.position} for item in items])
