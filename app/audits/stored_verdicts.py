"""What the ledger has of the samples that are judged again."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence
from typing import Any

from sqlalchemy import Select, case, null, select

from app.audits.features import hash_prompt, prompt
from app.audits.population import within
from app.audits.records import match_subject
from app.kit.db import Database
from app.tables import Reward, Sample, Verdict
from audits.labelled.records import sharing
from audits.reverify.stored_verdicts import ChosenUnits, Stored, choose
from audits.subject_verdict import accepts
from trueward.wire.audit import Population, Subject
from trueward.wire.verdict import Outcome

_AT_ONCE = 20_000
_NAMED_AT_ONCE = 400


async def load_verdicts(
    db: Database, before: Subject, population: Population, limit: int, *, grouped: bool
) -> ChosenUnits:
    """What ``before`` said in the population. ``grouped``: a group that was judged again as it was counts once, as it
    was judged last, and keeps all its members; else a sample counts once.

    The limit leaves out whole units, and never the newest.
    """
    found = _Found(before.threshold)
    query, table = _query(db, before, population)
    last = ""
    async with db.read() as connection:
        while True:
            rows = (await connection.execute(query.where(table.record > last).limit(_AT_ONCE))).all()
            await asyncio.to_thread(found.add, rows)
            if len(rows) < _AT_ONCE:
                return await asyncio.to_thread(choose, found.rows, limit, grouped)
            last = rows[-1].record


def _query(db: Database, before: Subject, population: Population) -> tuple[Select[Any], type[Verdict] | type[Reward]]:
    """Oldest first."""
    table: type[Verdict] | type[Reward] = Verdict if before.verifier is not None else Reward
    columns = table.__table__.c
    names = ["record", "sample", "group", "pair", "run", "step", "data_source", "outcome", "reason_code"]
    own = [columns["score"], null()] if table is Verdict else [columns["reward"], columns["request"]]
    named = case((table.group_.is_(None), prompt(table, db.dialect)))
    query = select(*(columns[name] for name in names), *own, named).where(
        *match_subject(before), *within(population, table)
    )
    return query.order_by(table.record), table


class _Found:
    """Rows of the ledger, oldest first; names that many of them have are kept once."""

    def __init__(self, threshold: float | None) -> None:
        self.rows: list[Stored] = []
        self._threshold = threshold
        self._numbers: dict[Hashable, int] = {}
        self._names: dict[str, str] = {}

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        self.rows += [self._read(row) for row in rows]

    def _read(self, row: Sequence[Any]) -> Stored:
        record, sample, group, pair, run, step, source, outcome, code, score, request, named = row
        shared = sharing(group, hash_prompt(named), sample)
        where = (run, step if request is None else request)
        said = Outcome(outcome)
        return Stored(
            record=record,
            sample=sample,
            group=group,
            pair=pair,
            together=self._number((where, shared)),
            unit=self._number((where, shared) if pair is None else (where, ("pair", pair))),
            shared=self._number(shared),
            data_source=self._name(source or "(none)"),
            accepted=accepts(said, score, self._threshold),
            score=score,
            outcome=said,
            reason_code=self._name(code),
        )

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _name(self, name: str) -> str:
        return self._names.setdefault(name, name)


async def contents(db: Database, samples: Sequence[str]) -> dict[str, str]:
    """The stored JSON of each of these fingerprints."""
    wanted = sorted(set(samples))
    found: dict[str, str] = {}
    async with db.read() as connection:
        for start in range(0, len(wanted), _NAMED_AT_ONCE):
            query = select(Sample.fingerprint, Sample.content)
            within = Sample.fingerprint.in_(wanted[start : start + _NAMED_AT_ONCE])
            found |= {row.fingerprint: row.content for row in await connection.execute(query.where(within))}
    return found


async def reasons(db: Database, before: Subject, records: Sequence[str]) -> dict[str, str]:
    """Why each of these records was judged as it was."""
    table = Verdict if before.verifier is not None else Reward
    query = select(table.record, table.reason).where(table.record.in_(records))
    async with db.read() as connection:
        return {row.record: row.reason for row in await connection.execute(query)}
