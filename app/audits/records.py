"""Stored verdicts of a verifier, or rewards of a recipe, as columns: a million of them in some seconds.

Nothing is parsed a row that the database can do, and no row becomes an object of ours: what is left is numpy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, case, exists, func, select

from app.audits.features import Feature, Table, feature, hash_prompt, prompt
from app.audits.population import within
from app.kit.db import Database
from app.path.facts import FACTS
from app.tables import Label, Reward, Verdict
from audits.labelled.columns import NameNumbers
from audits.labelled.features import check_names
from audits.labelled.records import Origin, Records, decide_accepted, sharing
from audits.statistics.arrays import Floats
from rewards.recipe import parse_recipe
from trueward.wire.audit import Population, Subject
from verifiers import registry

_AT_ONCE = 50_000
_HASH = "sha256:"


Read = Callable[[int, int], Awaitable[None]]


async def read_records(
    db: Database,
    subject: Subject,
    population: Population,
    features: Sequence[str] = (),
    read: Read | None = None,
    *,
    told: bool = False,
) -> Records:
    """What the ledger has of a subject in a population; ``read`` is told how many of how many, page by page.

    ``told``: samples without a label get no feature (``none``) and no prompt. They are most of the work, and where
    labels say what is true nobody looks at them.

    ``features``: ``data_source``, ``policy``, ``split``, ``step``, ``reason_code``, ``length`` (its band),
    ``language``, ``extracted`` (or ``full``), or an entry of the evidence; ``none`` where a record has none. Raises
    :class:`InvalidRequest` for a name that cannot be one, and for parameters or a recipe that cannot be read.
    """
    check_names(features, "audit.by")
    table: Table = Verdict if subject.verifier is not None else Reward
    conditions = [*match_subject(subject), *within(population, table)]
    wanted = {name: feature(name, table, db.dialect) for name in dict.fromkeys(features)}
    costly = [_shared_by(table, db), *(one.selected for one in wanted.values())]
    if told:
        costly = [case((_labelled(table), one)) for one in costly]
    query = select(*_columns(table), *costly)
    pages = _Pages(subject, wanted, None if told else Origin(subject, population))
    async with db.read() as connection:
        total = (await connection.execute(select(func.count()).select_from(table).where(*conditions))).scalar_one()
        last = ""
        while True:
            page = query.where(*conditions, table.record > last).order_by(table.record).limit(_AT_ONCE)
            rows = (await connection.execute(page)).all()
            if rows:
                last = rows[-1][0]
                await asyncio.to_thread(pages.add, rows)
            if read is not None:
                await read(len(pages.record), max(total, len(pages.record)))
            if len(rows) < _AT_ONCE:
                return await asyncio.to_thread(pages.records)


async def read_before(
    db: Database, subject: Subject, population: Population, features: Sequence[str], known: Records | None
) -> Records:
    """What :func:`read_records` reads of a population that ends, without reading again what is ``known``: records of
    the same, until then or later."""
    until = population.until
    if known is None or known.origin is None or until is None:
        return await read_records(db, subject, population, features)
    of, whole = known.origin
    ends_later = whole.until is None or whole.until >= until
    same = (of, _endless(whole)) == (subject, _endless(population))
    if not (same and ends_later and known.features.keys() >= set(features)):
        return await read_records(db, subject, population, features)
    table: Table = Verdict if subject.verifier is not None else Reward
    later = select(table.record).where(*match_subject(subject), *within(whole, table), table.created_at >= until)
    async with db.read() as connection:
        left_out = set((await connection.execute(later)).scalars())
    return known.part(np.array([one not in left_out for one in known.record], bool)) if left_out else known


def _endless(population: Population) -> Population:
    return population.model_copy(update={"until": None})


def match_subject(subject: Subject) -> list[ColumnElement[bool]]:
    """Conditions on verdicts, or on rewards, that are the subject's. Parameters are completed with their defaults."""
    if subject.verifier is not None:
        named: list[ColumnElement[bool]] = [Verdict.verifier == subject.verifier]
        if subject.version is not None:
            named.append(Verdict.version == subject.version)
        if subject.params is not None:
            named.append(Verdict.params == registry.create(subject.verifier, subject.params).producer.params)
        return named
    if isinstance(subject.recipe, str):
        return _recipe_named(subject.recipe)
    return [Reward.recipe == parse_recipe(subject.recipe or {}, FACTS).hash]


def _recipe_named(reference: str) -> list[ColumnElement[bool]]:
    """``name``, ``name@hash``, or a hash, of which the first characters do."""
    if reference.startswith(_HASH):
        return [Reward.recipe.startswith(reference, autoescape=True)]
    name, _, digest = reference.partition("@")
    by_name: list[ColumnElement[bool]] = [Reward.recipe_name == name]
    if digest:
        by_name.append(Reward.recipe.startswith(_HASH + digest.removeprefix(_HASH), autoescape=True))
    return by_name


def _columns(table: Table) -> list[ColumnElement[Any]]:
    columns = table.__table__.c
    own = ("score", "confidence") if table is Verdict else ("reward",)
    return [columns[name] for name in ("record", "sample", "outcome", "group", *own)]


def _shared_by(table: Table, db: Database) -> ColumnElement[Any]:
    """The prompt, read only where there is no group."""
    return case((table.group_.is_(None), prompt(table, db.dialect)))


def _labelled(table: Table) -> ColumnElement[bool]:
    return exists().where(Label.sample == table.sample).correlate(table)


class _Pages:
    """Pages of rows become columns, one after the other."""

    def __init__(self, subject: Subject, features: dict[str, Feature], origin: Origin | None) -> None:
        self._origin = origin
        self.record: list[str] = []
        self._sample: list[str] = []
        self._scored = subject.verifier is not None
        self._threshold = subject.threshold
        self._group, self._outcome = NameNumbers(), NameNumbers()
        self._score: list[Floats] = []
        self._confidence: list[Floats] = []
        self._features = features
        self._found = {name: NameNumbers() for name in features}

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        columns = iter(zip(*rows, strict=True))
        self.record += next(columns)
        sample = next(columns)
        self._sample += sample
        self._outcome.add(next(columns))
        groups = next(columns)
        self._score.append(_numbers(next(columns)))
        unsure = [None] * len(rows)
        self._confidence.append(_numbers(next(columns) if self._scored else unsure))
        self._group.add([sharing(*each) for each in zip(groups, map(hash_prompt, next(columns)), sample, strict=True)])
        for (name, one), column in zip(self._features.items(), columns, strict=True):
            values = {found: one.value(found) for found in set(column)}
            self._found[name].add([values[found] for found in column])

    def records(self) -> Records:
        score = _joined(self._score)
        outcome = self._outcome.column()
        return Records(
            record=self.record,
            sample=self._sample,
            group=self._group.codes(),
            accepted=decide_accepted(outcome, score, self._threshold),
            score=score,
            confidence=_joined(self._confidence),
            outcome=outcome,
            features={name: found.column() for name, found in self._found.items()},
            origin=self._origin,
        )


def _numbers(values: Iterable[float | None]) -> Floats:
    return np.array(list(values), dtype=np.float64)


def _joined(pages: Sequence[Floats]) -> Floats:
    return np.concatenate(pages) if pages else np.zeros(0)
