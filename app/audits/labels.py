"""The labels of an audit's samples, and what is known of how they were drawn.

Labels given after the verdicts were revealed are never
read. A label speaks of a content, so one that answers an item of one draw answers that of every other draw, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sqlalchemy import ColumnElement, or_, select

from app.audits.design import chances_of
from app.kit.db import Database
from app.tables import Draw, DrawItem, Label
from audits.labelled.labels import Labels, majority
from audits.labelled.records import Records
from audits.labelled.truth import DrawDesign, Truth, number_records
from trueward.wire.audit import LabelChoice

_AT_ONCE = 50_000
_COLUMNS = [
    Label.__table__.c[name]
    for name in ("id", "sample", "right", "source", "annotator", "draw", "position", "probability", "record")
]


async def truth_of_labels(db: Database, choice: LabelChoice, records: Records) -> Truth:
    """Raises :class:`InvalidRequest` for labels of several draws of which one cannot be computed again."""
    places, samples = await asyncio.to_thread(number_records, records.sample)
    labels = await _read(db, choice, samples.known)
    truth = await asyncio.to_thread(majority, labels, places, records)
    told = np.zeros(len(samples.known), dtype=np.bool_)
    told[places] = truth.known
    found, notes = await chances_of(db, choice, labels.drawn, samples.known, told, records)
    if found is None:
        return replace(truth, notes=[*truth.notes, *notes])
    design = DrawDesign(found.chance[places], found.labelled[places], found.stratum[places])
    return replace(truth, notes=[*truth.notes, *notes], design=design)


async def unknown_draw(db: Database, choice: LabelChoice) -> list[str]:
    """A sentence where the labels were to come from a draw that is not there. Labels of one may be: an export brings
    them into another database."""
    if choice.draw is None:
        return []
    async with db.read() as connection:
        known = (await connection.execute(select(Draw.id).where(Draw.id == choice.draw))).scalar_one_or_none()
    return [] if known else [f"there is no draw {choice.draw!r}; `GET /v1/labels/draws` lists them."]


async def _read(db: Database, choice: LabelChoice, known: Mapping[object, int]) -> Labels:
    labels, last = Labels(), ""
    query = select(*_COLUMNS).where(*_chosen(choice)).order_by(Label.id).limit(_AT_ONCE)
    async with db.read() as connection:
        while True:
            rows = (await connection.execute(query.where(Label.id > last))).all()
            if rows:
                last = rows[-1][0]
                await asyncio.to_thread(labels.add, rows, known)
            if len(rows) < _AT_ONCE:
                break
    return labels


def _chosen(choice: LabelChoice) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [Label.after_reveal.is_(False)]
    if choice.sources is not None:
        conditions.append(Label.source.in_(choice.sources))
    if choice.annotators is not None:
        conditions.append(Label.annotator.in_(choice.annotators))
    if choice.draw is not None:
        items = select(DrawItem.sample).where(DrawItem.draw == choice.draw)
        conditions.append(or_(Label.draw == choice.draw, Label.draw.is_not(None) & Label.sample.in_(items)))
    return conditions
