"""The samples of an audit that judges anew, drawn from the ledger: one for each of its tasks."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Sequence

from sqlalchemy import select

from app.audits.population import within
from app.kit.db import Database
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from audits.given_samples import is_usable, task_of
from trueward.wire.audit import GivenSamples, Population
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

_AT_ONCE = 400


async def draw_tasks(
    given: GivenSamples, population: Population, db: Database, needs_reference: bool, accepted: bool
) -> list[Sample]:
    """See :func:`audits.given_samples.given_samples`."""
    names = await _fingerprints(population, db, accepted)
    names = await asyncio.to_thread(_shuffled, names, given.seed)
    tasks: dict[str, Sample] = {}
    async for contents in _contents(names, db):
        for task, sample in await asyncio.to_thread(_read, contents):
            if is_usable(sample, needs_reference) and len(tasks) < given.limit:
                tasks.setdefault(task, sample)
        if len(tasks) >= given.limit:
            break
    return list(tasks.values())


async def _fingerprints(population: Population, db: Database, accepted: bool) -> list[str]:
    query = select(VerdictTable.sample).where(*within(population, VerdictTable)).distinct()
    if accepted:
        query = query.where(VerdictTable.outcome == Outcome.CORRECT.value)
    async with db.read() as connection:
        return list((await connection.execute(query)).scalars())


def _shuffled(names: Sequence[str], seed: int) -> list[str]:
    """An order that depends on names and seed alone, not on the database's."""
    return sorted(names, key=lambda name: hashlib.blake2b(f"{seed} {name}".encode(), digest_size=16).digest())


async def _contents(names: Sequence[str], db: Database) -> AsyncIterator[list[str]]:
    for start in range(0, len(names), _AT_ONCE):
        chunk = names[start : start + _AT_ONCE]
        query = select(SampleTable.fingerprint, SampleTable.content).where(SampleTable.fingerprint.in_(chunk))
        async with db.read() as connection:
            stored = {row.fingerprint: row.content for row in await connection.execute(query)}
        yield [stored[name] for name in chunk]


def _read(contents: Sequence[str]) -> list[tuple[str, Sample]]:
    """Samples, each with what is the same for all responses to one task."""
    read: list[tuple[str, Sample]] = []
    for content in contents:
        fields = json.loads(content)
        read.append((task_of(fields), Sample.model_validate(fields)))
    return read
