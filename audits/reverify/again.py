"""Stored samples judged again, group by group, their contents read as they are needed."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Hashable, Mapping, Sequence

from audits.ports import Work
from audits.reverify.stored_verdicts import Stored, Unit
from audits.subject_verdict import Judged, blocks
from trueward.wire.audit import Subject
from trueward.wire.sample import Sample, prompt_group

_BLOCKS_AT_ONCE = 4
_READ_AT_ONCE = 4096
"""Samples whose contents are read at a time."""
_NAME = 480


async def judge_again(work: Work, subject: Subject, units: Sequence[Unit]) -> list[Judged]:
    """One answer for each sample of the units, in order, without evidence: a run of them is kept in memory.

    Some blocks are judged at once, for each ends with waiting for the disk. No run learns from them, so their order
    does not matter.
    """
    total, answers, names = sum(map(len, units)), list[Judged](), _Names()
    running: deque[asyncio.Task[list[Judged]]] = deque()

    async def collect(most: int) -> None:
        while len(running) > most:
            answers.extend(await running.popleft())
            await work.progress(len(answers), total)

    await work.progress(0, total)
    try:
        for read in blocks([len(unit) for unit in units], _READ_AT_ONCE):
            part = units[read]
            texts = await work.ledger.contents([row.sample for unit in part for row in unit])
            for block in blocks([len(unit) for unit in part]):
                rows = [row for unit in part[block] for row in unit]
                samples = await asyncio.to_thread(_samples, rows, texts, names)
                running.append(asyncio.create_task(_judge_all(work, subject, samples)))
                await collect(_BLOCKS_AT_ONCE - 1)
        await collect(0)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return answers


async def _judge_all(work: Work, subject: Subject, samples: Sequence[Sample]) -> list[Judged]:
    return [one.without_evidence() async for said in work.judging.judge(subject, samples) for one in said]


class _Names:
    """Names of groups and pairs that tell apart what was not judged together, as near the old ones as can be."""

    def __init__(self) -> None:
        self._taken: dict[str, dict[Hashable, str]] = {}

    def of(self, name: str, key: Hashable) -> str:
        known = self._taken.setdefault(name, {})
        return known.setdefault(key, name if not known else f"{name[:_NAME]}~{len(known) + 1}")


def _samples(rows: Sequence[Stored], texts: Mapping[str, str], names: _Names) -> list[Sample]:
    found = []
    for place, row in enumerate(rows):
        sample = Sample.model_validate(json.loads(texts[row.sample]))
        sample.id = str(place)
        sample.group = names.of(row.group or prompt_group(sample), row.together)
        sample.pair = None if row.pair is None else names.of(row.pair, row.unit)
        found.append(sample)
    return found
