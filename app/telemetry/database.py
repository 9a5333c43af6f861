"""What the database holds, read now and then, so that a scrape of the metrics never waits for the database."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog
from sqlalchemy import func, select, text

from app.kit.background import Background
from app.kit.clock import now
from app.kit.db import Database
from app.tables import Job

EVERY_S = 15.0
_OPEN = ("queued", "running")
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DatabaseReading:
    """``idle_s``: since any of the unfinished ``jobs`` moved on; 0 where there is none."""

    jobs: int
    samples_left: int
    idle_s: float
    database_bytes: int


class DatabaseGauges(Background):
    """An async context manager. ``read`` is the last reading; None before the first, and while there is an outage."""

    task = "stored"

    def __init__(self, db: Database) -> None:
        self._db = db
        self.read: DatabaseReading | None = None

    async def look(self) -> DatabaseReading:
        left = func.coalesce(func.sum(Job.total - Job.position), 0)
        query = select(func.count(), left, func.max(Job.updated_at))
        query = query.where(Job.state.in_(_OPEN), Job.accepted_at.is_not(None))
        async with self._db.read() as connection:
            jobs, samples, moved = (await connection.execute(query)).one()
            size = await connection.scalar(_SIZE[self._db.dialect])
        idle_s = (now() - moved).total_seconds() if moved is not None else 0.0
        return DatabaseReading(jobs, int(samples), max(0.0, idle_s), int(size or 0))

    async def _run(self) -> None:
        while True:
            try:
                self.read = await self.look()
            except Exception as failure:  # noqa: BLE001 - an outage is told by the ledger's metrics, and ends some time
                log.info("the store was not looked at", error=failure)
                self.read = None
            await asyncio.sleep(EVERY_S)


_SIZE = {
    "sqlite": text("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"),
    "postgresql": text("SELECT pg_database_size(current_database())"),
}
