"""The records and labels of a database, as audits read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import select

from app.audits import given_samples as given
from app.audits import labels, records, votes
from app.audits import stored_verdicts as stored
from app.audits.population import within
from app.audits.records import match_subject
from app.kit.db import Database
from app.runs.reported import KIND as REPORTED
from app.runs.repository import RunsRepository
from app.tables import Reward, Verdict
from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.ports import Progress
from audits.reverify.stored_verdicts import ChosenUnits
from audits.votes import Patterns
from trueward.wire.audit import GivenSamples, LabelChoice, Population, Subject
from trueward.wire.sample import Sample


class StoredLedger:
    """:class:`audits.ports.Ledger` of a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def tasks(
        self, given_: GivenSamples, population: Population, *, needs_reference: bool, accepted: bool
    ) -> list[Sample]:
        return await given.draw_tasks(given_, population, self._db, needs_reference, accepted)

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

    async def list_versions(self, subject: Subject, population: Population) -> dict[str, list[str]]:
        table: type[Verdict] | type[Reward] = Verdict if subject.verifier is not None else Reward
        columns = table.__table__.c
        name, version = ("verifier", "version") if table is Verdict else ("recipe_name", "recipe")
        query = select(columns[name], columns[version]).where(*match_subject(subject), *within(population, table))
        found: defaultdict[str, list[str]] = defaultdict(list)
        async with self._db.read() as connection:
            for who, which in (await connection.execute(query.distinct())).all():
                found[who].append(which)
        return {who: sorted(known) for who, known in found.items()}

    async def model_changes(self, population: Population) -> list[str]:
        marks = await RunsRepository(self._db).marks(population.run) if population.run else []
        said: defaultdict[str, list[str]] = defaultdict(list)
        for mark in marks:
            if mark["kind"] == REPORTED:
                said[str(mark["model"])].append(str(mark["to"]))
        return [
            f"the server of {model} said in this run that it is {' and '.join(several)}: their verdicts count together"
            for model, several in said.items()
            if len(several) > 1
        ]

    async def vote_patterns(self, subjects: Sequence[Subject], population: Population) -> Patterns:
        return await votes.vote_patterns(self._db, subjects, population)

    async def load_verdicts(self, before: Subject, population: Population, limit: int, *, grouped: bool) -> ChosenUnits:
        return await stored.load_verdicts(self._db, before, population, limit, grouped=grouped)

    async def contents(self, samples: Sequence[str]) -> Mapping[str, str]:
        return await stored.contents(self._db, samples)

    async def reasons(self, before: Subject, records_: Sequence[str]) -> Mapping[str, str]:
        return await stored.reasons(self._db, before, records_)
