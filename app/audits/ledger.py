"""The records and labels of a database, as audits read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.audits import given, labels, records, stored, versions, votes
from app.kit.db import Database
from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.reverify.stored import Chosen
from audits.votes import Patterns
from audits.work import Progress
from trueward.audits import GivenSamples, LabelChoice, Population, Subject
from trueward.types import Sample


class StoredLedger:
    """:class:`audits.work.Ledger` of a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def tasks(
        self, given_: GivenSamples, population: Population, *, needs_reference: bool, accepted: bool
    ) -> list[Sample]:
        return await given.drawn_tasks(given_, population, self._db, needs_reference, accepted)

    async def records(
        self,
        subject: Subject,
        population: Population,
        features: Sequence[str] = (),
        read: Progress | None = None,
        *,
        told: bool = False,
    ) -> Records:
        return await records.read_records(self._db, subject, population, features, read, told=told)

    async def truth_of_labels(self, choice: LabelChoice, records_: Records) -> Truth:
        return await labels.truth_of_labels(self._db, choice, records_)

    async def unknown_draw(self, choice: LabelChoice) -> list[str]:
        return await labels.unknown_draw(self._db, choice)

    async def judged_by(self, subject: Subject, population: Population) -> dict[str, list[str]]:
        return await versions.judged_by(self._db, subject, population)

    async def vote_patterns(self, subjects: Sequence[Subject], population: Population) -> Patterns:
        return await votes.vote_patterns(self._db, subjects, population)

    async def stored(self, before: Subject, population: Population, limit: int, *, grouped: bool) -> Chosen:
        return await stored.stored(self._db, before, population, limit, grouped=grouped)

    async def contents(self, samples: Sequence[str]) -> Mapping[str, str]:
        return await stored.contents(self._db, samples)

    async def reasons(self, before: Subject, records_: Sequence[str]) -> Mapping[str, str]:
        return await stored.reasons(self._db, before, records_)
