"""Truth from labels: each annotator's first word on a sample, and the majority of them.

A tie, or nothing but "cannot tell", leaves the sample out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from audits.labelled.columns import NameNumbers
from audits.labelled.records import Records
from audits.labelled.truth import DrawnRecords, Truth
from audits.statistics.arrays import Floats, Ints
from audits.statistics.label_errors import Votes


class DrawnLabel(NamedTuple):
    """A label with a probability: ``sample`` is the sample's number, ``draw`` None for one that was uploaded."""

    sample: int
    draw: str | None
    position: int | None
    probability: float
    record: str | None


@dataclass(slots=True)
class Labels:
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


def majority(labels: Labels, places: Ints, records: Records) -> Truth:
    """``places`` is the number of each record's sample."""
    size = int(places.max()) + 1 if len(places) else 0
    by, notes = NameNumbers(), []
    by.add(labels.by)
    sample, right = np.array(labels.sample, dtype=np.int64), np.array(labels.right)
    first = np.unique(sample * max(len(by.known), 1) + by.codes(), return_index=True)[1]
    told = first[~np.isnan(right[first])]
    said = right[told]
    wrongs: Floats = np.bincount(sample[told], weights=1 - said, minlength=size).astype(np.float64)
    rights: Floats = np.bincount(sample[told], weights=said, minlength=size).astype(np.float64)
    votes = rights - wrongs
    verdict = np.where(votes > 0, 1.0, np.where(votes < 0, 0.0, np.nan))
    labelled, voted = (np.bincount(sample[some], minlength=size) > 0 for some in (first, told))
    tied, silent = int(np.count_nonzero(voted & (votes == 0))), int(np.count_nonzero(labelled & ~voted))
    if tied:
        notes.append(f"{tied} responses are left out: their annotators disagree, as many on one side as on the other")
    if silent:
        notes.append(f"{silent} responses are left out: nobody who looked at them could tell")
    origins = Counter(labels.by[place][0] for place in told.tolist())
    chosen = set(np.flatnonzero(~np.isnan(verdict)).tolist()) - {one.sample for one in labels.drawn}
    if chosen and voted.all():
        notes.append(f"all {size} responses are labelled, so none had to be drawn: the rates speak of all of them")
    elif chosen:
        notes.append(
            f"{len(chosen)} labelled responses were chosen, not drawn: the rates speak of these, and not of the others"
        )
    drawn = _drawn(labels, verdict, records, places)
    found = Truth(verdict[places], places, drawn, dict(sorted(origins.items())), notes)
    return replace(found, votes=Votes(wrongs[places], rights[places])) if ((wrongs > 0) & (rights > 0)).any() else found


def _drawn(labels: Labels, verdict: Floats, records: Records, places: Ints) -> DrawnRecords:
    """One record for each drawn content with a truth: the very one that was drawn, else the first of its sample."""
    items: dict[int, DrawnLabel] = {}
    for label in labels.drawn:
        if not np.isnan(verdict[label.sample]):
            items.setdefault(label.sample, label)
    if not items:
        return DrawnRecords()
    wanted = {label.record for label in items.values() if label.record is not None}
    row_of = {record: row for row, record in enumerate(records.record) if record in wanted}
    _, first = np.unique(places, return_index=True)
    rows = [row_of.get(label.record or "", int(first[sample])) for sample, label in items.items()]
    return DrawnRecords(np.array(rows, dtype=np.int64), np.array([label.probability for label in items.values()]))
