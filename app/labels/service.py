"""Labels: taken in whole or not at all, listed, exported, and what they amount to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.labels.formats import FORMATS
from app.labels.repository import LabelsRepository, TakenIdError
from app.labels.schemas import MOST, LabelQuery, PlacedLabel
from app.labels.upload import find_repeats, find_unknown, refuse, sample_of
from trueward.errors import FieldProblem, InvalidRequest, NotFound, TooLarge
from trueward.wire.draw import ItemLabel
from trueward.wire.label import Label, LabelFormat, LabelPage, LabelsStored

PARTS = "upload in parts, as `trueward labels import` does"


class LabelsService:
    def __init__(self, db: Database) -> None:
        self._repository = LabelsRepository(db)

    async def read(self, body: bytes, form: LabelFormat, owner: str | None) -> LabelsStored:
        """Takes in a file."""
        return await self.store(await asyncio.to_thread(_lines, body, form), owner)

    async def store(self, lines: Sequence[PlacedLabel | FieldProblem], owner: str | None) -> LabelsStored:
        """Raises :class:`InvalidRequest` that names the lines, and stores nothing, where anything is wrong."""
        labels = [line for line in lines if isinstance(line, PlacedLabel)]
        problems = [line for line in lines if isinstance(line, FieldProblem)]
        records = await self._repository.samples_of(one.label.record for one in labels if one.label.record is not None)
        samples = await self._repository.find_known_samples(
            one.label.sample for one in labels if one.label.sample is not None
        )
        made = await asyncio.to_thread(_checked, labels, problems, records, samples, owner)
        restored = {one.label.id for one in labels if one.label.id is not None}
        try:
            return await self._repository.add(
                [label for label in made if label.id not in restored], [label for label in made if label.id in restored]
            )
        except TakenIdError as taken:
            refuse(
                [one.problem("taken_id", "another label has this id") for one in labels if one.label.id == str(taken)]
            )
            raise

    async def keep(self, record: str, said: ItemLabel, owner: str | None) -> None:
        """A label outside of any draw by somebody who has seen the verdicts of a record: no audit counts it.

        Raises :class:`NotFound` for an unknown record.
        """
        sample = (await self._narrowed(LabelQuery(), record)).sample
        assert sample is not None
        outside = {"record": record, "sample": sample, "source": "human", "probability": None, "draw": None}
        whose = {"position": None, "after_reveal": True, "owner": owner, "id": new_id(), "created_at": now()}
        await self._repository.add([Label(**said.model_dump(), **outside, **whose)], [])

    async def page(self, query: LabelQuery, record: str | None, wanted: PageRange) -> LabelPage:
        """Newest first; those of a record are those of its sample. Raises :class:`NotFound` for an unknown record."""
        if record is not None:
            query = await self._narrowed(query, record)
        found, following = wanted.cut(await self._repository.page(query, wanted), lambda label: label.id)
        return LabelPage(labels=found, next=following)

    async def find(self, label: str) -> Label:
        """Raises :class:`NotFound`."""
        found = await self._repository.find(label)
        if found is None:
            raise NotFound(f"there is no label {label[:100]!r}; GET /v1/labels lists them")
        return found

    async def export(self, query: LabelQuery, form: LabelFormat) -> AsyncIterator[str]:
        """A file, block by block."""
        written = FORMATS[form]
        yield written.head
        between = ""
        async for labels in self._repository.blocks(query):
            contents = (
                await self._repository.contents(label.sample for label in labels) if written.needs_content else {}
            )
            yield between + await asyncio.to_thread(written.block, labels, contents)
            between = written.between
        yield written.tail

    async def _narrowed(self, query: LabelQuery, record: str) -> LabelQuery:
        samples = await self._repository.samples_of([record])
        if record not in samples:
            raise NotFound(f"the ledger has no record {record[:100]!r}; an answer's `record` names one")
        if query.sample not in (None, samples[record]):
            raise InvalidRequest(f"record {record!r} is not of sample {str(query.sample)[:100]!r}: name one of them")
        return query.model_copy(update={"sample": samples[record]})


def _lines(body: bytes, form: LabelFormat) -> list[PlacedLabel | FieldProblem]:
    found: list[PlacedLabel | FieldProblem] = []
    for line in FORMATS[form].read(body):
        if len(found) == MOST:
            raise TooLarge(f"over {MOST} labels in one upload: {PARTS}")
        found.append(line)
    return found


def _checked(
    labels: Sequence[PlacedLabel],
    problems: Sequence[FieldProblem],
    records: Mapping[str, str],
    samples: set[str],
    owner: str | None,
) -> list[Label]:
    """The labels to store, in order. Raises :class:`InvalidRequest` where anything is wrong."""
    known = [one for one in labels if one.label.sample is not None or one.label.record in records]
    refuse([*problems, *find_unknown(labels, records, samples), *find_repeats(known, records)])
    return [_label(one, records, owner) for one in labels]


def _label(placed: PlacedLabel, records: Mapping[str, str], owner: str | None) -> Label:
    given = placed.label
    fields = given.model_dump(exclude={"id", "sample", "created_at"})
    return Label(
        **fields,
        id=given.id or new_id(),
        sample=sample_of(placed, records),
        owner=owner,
        created_at=given.created_at or now(),
    )
