"""A server's part that works jobs off, in a process that is made to be killed.

``work``: works until no job is left. ``accept``: receives the same job again and again, says each id that
it answered, and works on none of them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator

from app.jobs.intake import JobRequest
from app.jobs.repository import JobsRepository
from app.jobs.runner import JobRunner
from app.jobs.service import JobsService
from app.kit.db import Database
from app.path.ledger import Ledger
from tests.app.jobs.ledger_scorer import LedgerScorer

CHUNK = 16
PAUSE_S = 0.005


async def work(db: Database) -> None:
    async with Ledger(db, 1000) as ledger, JobRunner(db, LedgerScorer(ledger, PAUSE_S), size=CHUNK):
        print("ready", flush=True)
        while await JobsRepository(db).list_unfinished():
            await asyncio.sleep(0.05)


async def body() -> AsyncIterator[bytes]:
    yield json.dumps({"verifier": "exact"}).encode() + b"\n"
    for index in range(1200):
        yield json.dumps({"id": f"s{index}", "response": "x"}).encode() + b"\n"


def check(request: JobRequest) -> None:
    return None


async def accept(db: Database) -> None:
    async with Ledger(db, 1000) as ledger:
        service = JobsService(db, LedgerScorer(ledger), check, max_samples=5000, max_bytes=10_000)
        print("ready", flush=True)
        while True:
            accepted = await service.accept(body(), lines=True, owner=None, idempotency=None)
            print(accepted.id, flush=True)


async def main(what: str, url: str) -> None:
    async with Database(url) as db:
        await (work if what == "work" else accept)(db)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
