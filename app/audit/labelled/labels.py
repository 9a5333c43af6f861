"""Truth from labels: each annotator's first word on a sample, and the majority of them.

A tie, or nothing but "cannot tell", leaves the sample out. Labels given after the verdicts were revealed are never
read. A label speaks of a content, so one that answers an item of one draw answers that of every other draw, too.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, or_, select

from app.audit.labelled.columns import Numbers
from app.audit.labelled.design import DrawnLabel, chances_of
from app.audit.labelled.records import Records
from app.audit.labelled.truth import Design, Drawn, Truth, numbered
from app.audit.statistics.arrays import Floats, Ints
from app.kit.db import Database
from app.tables import Draw, DrawItem, Label
from trueward.audits import LabelChoice

_AT_ONCE = 50_000
_COLUMNS = [
    Label.__table__.c[name]
    for name in ("id", "sample", "right", "source", "annotator", "draw", "position", "probability", "record")
]


@dataclass(slots=True)
class _Labels:
    """Labels on samples that have a record, in the order they were given; ``sample`` is the sample's number."""

    sample: list[int] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    by: list[tuple[str, str]] = field(default_factory=list)
    drawn: list[DrawnLabel] = field(default_factory=list)

    def add(self, rows: Sequence[Sequence[Any]], known: Mapping[object, int]) -> None:
        for _, sample, right, source, annotator, draw, position, probability, record in rows:
            number = known.get(sample)
            if number is None:
                continue
            self.sample.append(number)
            self.right.append(np.nan if right is None else float(right))
            self.by.append((source, annotator))
            if probability is not None:
                self.drawn.append(DrawnLabel(number, draw, position, probability, record))


async def truth_of_labels(db: Database, choice: LabelChoice, records: Records) -> Truth:
    """Raises :class:`InvalidRequest` for labels of several draws of which one cannot be computed again."""
    places, samples = await asyncio.to_thread(numbered, records.sample)
    labels = await _read(db, choice, samples.known)
    truth = await asyncio.to_thread(_truth, labels, places, records)
    told = np.zeros(len(samples.known), dtype=np.bool_)
    told[places] = ~np.isnan(truth.right)
    found, notes = await chances_of(db, choice, labels.drawn, samples.known, told)
    if found is None:
        return replace(truth, notes=[*truth.notes, *notes])
    design = Design(found.chance[places], found.labelled[places], found.stratum[places])
    return replace(truth, notes=[*truth.notes, *notes], design=design)


async def unknown_draw(db: Database, choice: LabelChoice) -> list[str]:
    """A sentence where the labels were to come from a draw that is not there. Labels of one may be: an export brings
    them into another database."""
    if choice.draw is None:
        return []
    async with db.read() as connection:
        known = (await connection.execute(select(Draw.id).where(Draw.id == choice.draw))).scalar_one_or_none()
    return [] if known else [f"there is no draw {choice.draw!r}; `GET /v1/labels/draws` lists them."]


async def _read(db: Database, choice: LabelChoice, known: Mapping[object, int]) -> _Labels:
    labels, last = _Labels(), ""
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


def _truth(labels: _Labels, places: Ints, records: Records) -> Truth:
    """``places`` is the number of each record's sample."""
    size = int(places.max()) + 1 if len(places) else 0
    by, notes = Numbers(), []
    by.add(labels.by)
    sample, right = np.array(labels.sample, dtype=np.int64), np.array(labels.right)
    first = np.unique(sample * max(len(by.known), 1) + by.codes(), return_index=True)[1]
    told = first[~np.isnan(right[first])]
    votes = np.bincount(sample[told], weights=2 * right[told] - 1, minlength=size)
    verdict = np.where(votes > 0, 1.0, np.where(votes < 0, 0.0, np.nan))
    labelled, voted = (np.bincount(sample[some], minlength=size) > 0 for some in (first, told))
    tied, silent = int(np.count_nonzero(voted & (votes == 0))), int(np.count_nonzero(labelled & ~voted))
    if tied:
        notes.append(f"{tied} responses are left out: their annotators disagree, as many on one side as on the other")
    if silent:
        notes.append(f"{silent} responses are left out: nobody who looked at them could tell")
    origins = Counter(labels.by[place][0] for place in told.tolist())
    chosen = set(np.flatnonzero(~np.isnan(verdict)).tolist()) - {one.sample for one in labels.drawn}
    if chosen:
        notes.append(f"{len(chosen)} labelled responses were chosen, not drawn: they make no claim about the run")
    drawn = _drawn(labels, verdict, records, places)
    return Truth(verdict[places], places, drawn, dict(sorted(origins.items())), notes)


def _drawn(labels: _Labels, verdict: Floats, records: Records, places: Ints) -> Drawn:
    """One record for each drawn content with a truth: the very one that was drawn, else the first of its sample."""
    items: dict[int, DrawnLabel] = {}
    for label in labels.drawn:
        if not np.isnan(verdict[label.sample]):
            items.setdefault(label.sample, label)
    if not items:
        return Drawn()
    wanted = {label.record for label in items.values() if label.record is not None}
    row_of = {record: row for row, record in enumerate(records.record) if record in wanted}
    _, first = np.unique(places, return_index=True)
    rows = [row_of.get(label.record or "", int(first[sample])) for sample, label in items.items()]
    return Drawn(np.array(rows, dtype=np.int64), np.array([label.probability for label in items.values()]))
