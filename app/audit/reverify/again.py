"""Stored samples judged again, group by group, their contents read as they are needed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Hashable, Sequence
from dataclasses import replace

from sqlalchemy import select

from app.audit.blocks import blocks
from app.audit.judging import Judged
from app.audit.reverify.stored import Stored, Unit
from app.audit.work import Work
from app.kit.db import Database
from app.tables import Sample as SampleTable
from rewards.groups import prompt_group
from trueward.audits import Subject
from trueward.types import Sample

_AT_ONCE = 400
_NAME = 480


async def judged_again(work: Work, subject: Subject, units: Sequence[Unit]) -> list[Judged]:
    """One answer for each sample of the units, in order, without evidence: a run of them is kept in memory."""
    total, answers, names = sum(map(len, units)), list[Judged](), _Names()
    await work.progress(0, total)
    for block in blocks([len(unit) for unit in units]):
        rows = [row for unit in units[block] for row in unit]
        texts = await contents(work.db, [row.sample for row in rows])
        samples = await asyncio.to_thread(_samples, rows, texts, names)
        async for said in work.judging.judge(subject, samples):
            answers += [replace(one, evidence={}) for one in said]
            await work.progress(len(answers), total)
    return answers


async def contents(db: Database, samples: Sequence[str]) -> dict[str, str]:
    """The stored JSON of each of these fingerprints."""
    wanted = sorted(set(samples))
    found: dict[str, str] = {}
    async with db.read() as connection:
        for start in range(0, len(wanted), _AT_ONCE):
            query = select(SampleTable.fingerprint, SampleTable.content)
            within = SampleTable.fingerprint.in_(wanted[start : start + _AT_ONCE])
            found |= {row.fingerprint: row.content for row in await connection.execute(query.where(within))}
    return found


class _Names:
    """Names of groups and pairs that tell apart what was not judged together, as near the old ones as can be."""

    def __init__(self) -> None:
        self._taken: dict[str, dict[Hashable, str]] = {}

    def of(self, name: str, key: Hashable) -> str:
        known = self._taken.setdefault(name, {})
        return known.setdefault(key, name if not known else f"{name[:_NAME]}~{len(known) + 1}")


def _samples(rows: Sequence[Stored], texts: dict[str, str], names: _Names) -> list[Sample]:
    found = []
    for row in rows:
        sample = Sample.model_validate(json.loads(texts[row.sample]))
        sample.group = names.of(row.group or prompt_group(sample), row.together)
        sample.pair = None if row.pair is None else names.of(row.pair, row.unit)
        found.append(sample)
    return found
