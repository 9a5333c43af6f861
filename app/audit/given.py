"""The samples of an audit that judges anew: sent with the request, or one for each of the ledger's prompts."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence

from pydantic import JsonValue
from sqlalchemy import select

from app.audit.population import within
from app.audit.work import Work
from app.kit.db import Database
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from trueward.audits import Given, Population
from trueward.errors import InvalidRequest
from trueward.types import Outcome, Sample

_AT_ONCE = 400


async def given_samples(given: Given, work: Work, needs_reference: bool, accepted: bool = False) -> list[Sample]:
    """At most ``limit`` of the ledger's tasks (prompt and reference) by Population, drawn at random by ``seed``, each
    with one of its responses; or the samples that the request has, all of them.

    The draw is by responses, so a task with more different ones is likelier to be drawn where not all are.
    ``needs_reference`` leaves out samples without one, and ``accepted`` those of the ledger that no verifier called
    correct. Raises :class:`InvalidRequest` where nothing is left.
    """
    if (given.samples is None) == (given.population is None):
        raise InvalidRequest(
            "given must name samples or a population of the ledger, exactly one; an empty population is all of it"
        )
    if given.samples is not None:
        found, place = [sample for sample in given.samples if _usable(sample, needs_reference)], "the request"
    else:
        assert given.population is not None
        found, place = await _drawn(given, given.population, work.db, needs_reference, accepted), "the population"
    if not found:
        without = " with a reference" if needs_reference else ""
        right = ", and a response that was found correct" if accepted and given.samples is None else ""
        raise InvalidRequest(f"there is no sample{without}{right} in {place}: send other samples, or widen it")
    return found


def tasks_in(samples: Sequence[Sample]) -> list[int]:
    """The number of each sample's task. What is tried of one task is tried alike for all samples that share it, so an
    interval that took them for independent would be too narrow."""
    known: dict[str, int] = {}
    return [
        known.setdefault(_task(sample.model_dump(mode="json", include={"prompt", "reference"})), len(known))
        for sample in samples
    ]


def _usable(sample: Sample, needs_reference: bool) -> bool:
    return bool(sample.references) or not needs_reference


async def _drawn(
    given: Given, population: Population, db: Database, needs_reference: bool, accepted: bool
) -> list[Sample]:
    names = await _fingerprints(population, db, accepted)
    names = await asyncio.to_thread(_shuffled, names, given.seed)
    tasks: dict[str, Sample] = {}
    async for contents in _contents(names, db):
        for task, sample in await asyncio.to_thread(_read, contents):
            if _usable(sample, needs_reference) and len(tasks) < given.limit:
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
        read.append((_task(fields), Sample.model_validate(fields)))
    return read


def _task(fields: Mapping[str, JsonValue]) -> str:
    """What is the same for all responses to one task."""
    return json.dumps([fields.get("prompt"), fields.get("reference")], sort_keys=True)
