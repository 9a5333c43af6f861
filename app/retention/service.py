"""Retention: deletions that were asked for, what the projects' policies make due, and partitions of months to come.

One server of a database works on them at a time.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from time import monotonic

import structlog
from sqlalchemy import select

from app.idempotency.repository import Claims
from app.idempotency.service import KEPT
from app.kit.background import Background, Trouble
from app.kit.claim import Claim, claim
from app.kit.clock import compute_cutoff, now
from app.kit.db import Database, is_outage
from app.kit.partitions import make_ahead
from app.kit.tokens import first_id
from app.retention.counting import count
from app.retention.phase import AnyRow, NotYet
from app.retention.repository import DeletionsRepository
from app.retention.spec import Cutoff, Spec
from app.retention.work import carry_out
from app.tables import Project
from trueward.wire.deletion import Deletion, DeletionRequest

CLAIM = "retention"
_POLL_S = 5.0
_DAY = timedelta(days=1)
_MONTHS_AHEAD = 3
log = structlog.get_logger(__name__)


class Retention(Background):
    """An async context manager: works while it is open."""

    task = "retention"

    def __init__(self, db: Database) -> None:
        self._db = db
        self._repository = DeletionsRepository(db)
        self._wake = asyncio.Event()
        self._upkeep_due = 0.0

    async def ask(self, request: DeletionRequest, owner: str | None) -> Deletion:
        """Accepted, and on record; it is carried out in the background."""
        deletion = await self._repository.add(spec_of(request), owner)
        self._wake.set()
        return deletion

    async def count(self, request: DeletionRequest) -> dict[str, int]:
        """What the request would take, by table."""
        return await count(self._db, spec_of(request))

    async def _run(self) -> None:
        trouble = Trouble("nothing is deleted for now; trying again")
        while True:
            self._wake.clear()
            try:
                async with claim(self._db, CLAIM) as granted:
                    if granted is not None:
                        await self._work(granted)
                trouble.over()
            except Exception as failure:  # noqa: BLE001 - an outage of the database, or any bug, ends no retention
                trouble.note_error(failure)
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await self._wake.wait()

    async def _work(self, granted: Claim) -> None:
        if monotonic() >= self._upkeep_due:
            await keep_up(self._db)
            self._upkeep_due = monotonic() + _DAY.total_seconds() / 24
        for row in await self._repository.list_unfinished():
            await work_on(self._db, row, granted)


async def keep_up(db: Database) -> None:
    """What a day asks for: partitions ahead, answers under old idempotency keys, the projects' policies."""
    if db.dialect == "postgresql":
        await make_ahead(db, now(), _MONTHS_AHEAD)
    await Claims(db).purge(KEPT)
    repository = DeletionsRepository(db)
    last = await repository.last_policy()
    if last is None or last < compute_cutoff(_DAY):
        policy = await _policy(db)
        if policy.cutoffs:
            await repository.add(policy, None)


async def work_on(db: Database, row: AnyRow, granted: Claim) -> None:
    """Raises what an outage raises; whatever else goes wrong is the deletion's failure."""
    repository = DeletionsRepository(db)
    try:
        await carry_out(db, row, granted)
    except NotYet as obstacle:
        await repository.wait(row.id, str(obstacle))
    except Exception as failure:  # an outage is raised again, the deletion fails for the rest
        if is_outage(failure):
            raise
        log.error("a deletion failed", deletion=row.id, exc_info=failure)
        await repository.fail(row.id, f"{type(failure).__name__}: {str(failure)[:300]}")


def spec_of(request: DeletionRequest) -> Spec:
    """What was asked for, from this moment on."""
    cutoffs = []
    if request.older_than_days is not None:
        until = first_id(compute_cutoff(timedelta(days=request.older_than_days)))
        cutoffs.append(Cutoff(project=request.project, until=until))
    return Spec(cutoffs=cutoffs, **request.model_dump())


async def _policy(db: Database) -> Spec:
    query = select(Project.id, Project.retention_days).where(Project.retention_days.is_not(None))
    async with db.read() as connection:
        rows = (await connection.execute(query.order_by(Project.id))).all()
    kept = [(row.id, timedelta(days=row.retention_days)) for row in rows]
    return Spec(
        cutoffs=[Cutoff(project=name, until=first_id(compute_cutoff(days))) for name, days in kept], policy=True
    )
