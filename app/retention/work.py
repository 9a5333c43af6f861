"""Carries a deletion out, batch after batch; killed at any moment it goes on where it was."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from time import monotonic

from app.kit.claim import Claim
from app.kit.db import Database
from app.retention.due import DueRecords, DueRuns
from app.retention.erasing import lock
from app.retention.jobs import SubjectItems, WholeJobs
from app.retention.phase import AnyRow, DueRows, Phase
from app.retention.repository import DeletionsRepository, move
from app.retention.spec import Spec
from app.retention.subject import Samples
from app.retention.whole import Unused, drop_due

_BY_AGE: Mapping[str, Phase] = {
    "samples": Unused(),
    "rewards": DueRecords("rewards"),
    "verdicts": DueRecords("verdicts"),
    "jobs": WholeJobs(),
    "runs": DueRuns(),
}
_RUN: Mapping[str, Phase] = {
    "jobs": WholeJobs(),
    "rewards": DueRecords("rewards"),
    "verdicts": DueRecords("verdicts"),
    "runs": DueRuns(),
}
_DROPPING = "partitions"
_SUBJECT: Mapping[str, Phase] = {"jobs": SubjectItems(), "samples": Samples()}


def phases_of(spec: Spec) -> Mapping[str, Phase]:
    """In the order in which they are gone through."""
    if spec.subject is not None:
        return _SUBJECT
    return _RUN if spec.run is not None else _BY_AGE


async def carry_out(db: Database, row: AnyRow, claim: Claim) -> None:
    """From where it is to its end, as long as the claim is held. Raises :class:`NotYet`."""
    spec = Spec.model_validate(row.spec)
    phases = phases_of(spec)
    gone = Counter(row.counts)
    phase, place = row.phase, row.place
    if phase in ("", _DROPPING):
        killed = phase == _DROPPING
        await _record_progress(db, row.id, _DROPPING, gone)
        dropped = await drop_due(db, spec)
        gone += dropped
        # where no partition went, no sample has lost what referred to it
        phase = "rewards" if phases is _BY_AGE and not dropped and not killed else next(iter(phases))
        await _record_progress(db, row.id, phase, gone)
    names = list(phases)
    for name in names[names.index(phase) :]:
        place = place if name == phase else ""
        last = False
        while not last:
            if not await claim.is_held():
                return
            began = monotonic()
            found = await _find(db, phases[name], spec, place)
            gone += await _erase(db, row.id, name, phases[name], spec, found, gone)
            place, last = found.place, found.last
            if found.rows:
                # the ledger's writer has its turn for as long
                await asyncio.sleep(monotonic() - began)
    await DeletionsRepository(db).complete(row.id, row.owner, gone)


async def _find(db: Database, phase: Phase, spec: Spec, place: str) -> DueRows:
    async with db.read() as connection:
        return await phase.find(connection, spec, place)


async def _erase(
    db: Database, deletion: str, name: str, phase: Phase, spec: Spec, found: DueRows, before: Counter[str]
) -> Counter[str]:
    async with db.write() as connection:
        gone: Counter[str] = Counter()
        if found.rows:
            await lock(connection)
            gone = await phase.erase(connection, spec, found.rows)
        await move(connection, deletion, name, found.place, before + gone)
    return gone


async def _record_progress(db: Database, deletion: str, phase: str, gone: Counter[str]) -> None:
    async with db.write() as connection:
        await move(connection, deletion, phase, "", gone)
