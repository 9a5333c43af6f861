"""What the ledger has of the samples that are judged again: each once, with what was said of it last."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, case, null, select

from app.audit.judging import accepts
from app.audit.labelled.features import prompt
from app.audit.labelled.records import chosen, sharing
from app.audit.population import within
from app.kit.db import Database
from app.tables import Reward, Verdict
from trueward.audits import Population, Subject
from trueward.types import Outcome

_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Stored:
    """A verdict or a reward of then. ``sample`` is the content's fingerprint.

    ``together`` numbers what it was judged with: its group (or prompt) in one request, or in one step of a run where
    the ledger does not know the request; ``unit`` the same by pair, where it has one. ``shared`` numbers what shares
    its errors: the group, else the prompt, else the sample, whatever the request.
    """

    record: str
    sample: str
    group: str | None
    pair: str | None
    together: int
    unit: int
    shared: int
    data_source: str
    accepted: bool | None
    score: float | None
    outcome: Outcome
    reason_code: str


Unit = list[Stored]
"""What has to be judged in one request: a group, or the groups of a pair."""


class Chosen(NamedTuple):
    """Units of the newest ``limit`` samples, oldest first.

    ``records`` is how many records the population has, ``older`` how many samples the limit left out.
    """

    units: list[Unit]
    records: int
    older: int


async def stored(db: Database, before: Subject, population: Population, limit: int, *, grouped: bool) -> Chosen:
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
                return await asyncio.to_thread(_chosen, found.rows, limit, grouped)
            last = rows[-1].record


def _query(db: Database, before: Subject, population: Population) -> tuple[Select[Any], type[Verdict] | type[Reward]]:
    """Oldest first."""
    table: type[Verdict] | type[Reward] = Verdict if before.verifier is not None else Reward
    columns = table.__table__.c
    names = ["record", "sample", "group", "pair", "run", "step", "data_source", "outcome", "reason_code"]
    own = [columns["score"], null()] if table is Verdict else [columns["reward"], columns["request"]]
    asked = case((table.group_.is_(None), prompt(table, db.dialect)))
    query = select(*(columns[name] for name in names), *own, asked).where(*chosen(before), *within(population, table))
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
        record, sample, group, pair, run, step, source, outcome, code, score, request, asked = row
        shared = sharing(group, asked, sample)
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


def _chosen(rows: Sequence[Stored], limit: int, grouped: bool) -> Chosen:
    newest_first = list(_different(_units(rows))) if grouped else _units(_once(rows))
    taken: list[Unit] = []
    samples = 0
    for unit in newest_first:
        if taken and samples + len(unit) > limit:
            break
        taken.append(unit)
        samples += len(unit)
    return Chosen(taken[::-1], len(rows), sum(map(len, newest_first)) - samples)


def _once(rows: Sequence[Stored]) -> Iterable[Stored]:
    """Of each sample what was said of it last, oldest first."""
    return sorted({row.sample: row for row in rows}.values(), key=lambda row: row.record)


def _units(rows: Iterable[Stored]) -> list[Unit]:
    """Newest first, by the last of their records."""
    units: defaultdict[int, Unit] = defaultdict(list)
    for row in rows:
        units[row.unit].append(row)
    return sorted(units.values(), key=lambda unit: unit[-1].record, reverse=True)


def _different(units: Iterable[Unit]) -> Iterator[Unit]:
    """Of units with the very same samples the first."""
    seen: set[tuple[str, ...]] = set()
    for unit in units:
        samples = tuple(sorted(row.sample for row in unit))
        if samples not in seen:
            seen.add(samples)
            yield unit
