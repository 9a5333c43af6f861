"""kill -9 at any moment: no item of an accepted job is lost, none is recorded twice, results keep their order."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TextIO

import pytest
from sqlalchemy import func, select

from app import tables
from app.jobs.repository import JobsRepository, QueuedItem
from app.jobs.service import JobsService
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.path.ledger import Ledger
from tests.app.jobs.ledger_scorer import LedgerScorer
from tests.app.jobs.server_victim import check
from tests.app.records import count
from tests.live import victim
from tests.template import Fork
from trueward.wire.job import JobView

ITEMS = 1000
KILLS = 4


@contextmanager
def ready(what: str, url: str) -> Iterator[tuple[Fork, TextIO]]:
    """A process that is ready, killed at the end of the block."""
    with victim("tests.app.jobs.server_victim", what, url) as (process, printed):
        assert printed.readline() == "ready\n"
        yield process, printed


def kill_at_random(url: str) -> None:
    with ready("work", url):
        time.sleep(random.uniform(0.0, 0.3))


def work_to_the_end(url: str) -> None:
    with ready("work", url) as (process, _):
        assert process.wait(timeout=120) == 0


def service(db: Database, ledger: Ledger) -> JobsService:
    """Receives and reads; it is not entered, so it works on nothing."""
    return JobsService(db, LedgerScorer(ledger), check, max_samples=5000, max_bytes=10_000)


async def body(head: dict[str, str], job: int) -> AsyncIterator[bytes]:
    yield json.dumps(head).encode() + b"\n"
    for index in range(ITEMS):
        sample = {"id": f"s{index}", "response": f"{job}/{index}", "reference": f"{job}/{index - index % 2}"}
        yield json.dumps(sample | {"group": f"g{index // 5}"}).encode() + b"\n"


async def submit(service: JobsService, head: dict[str, str], number: int) -> list[str]:
    jobs = [await service.accept(body(head, job), lines=True, owner=None, idempotency=None) for job in range(number)]
    return [job.id for job in jobs]


async def assert_whole(service: JobsService, job: str) -> None:
    view = await service.show(job)
    assert view.state == "completed"
    assert view.counts == {"total": ITEMS, "done": ITEMS, "correct": ITEMS // 2, "incorrect": ITEMS // 2}
    text = "".join([piece async for piece in service.results(view)])
    results = [json.loads(line) for line in text.splitlines()]
    assert [result["id"] for result in results] == [f"s{index}" for index in range(ITEMS)]
    wanted = ["correct" if index % 2 == 0 else "incorrect" for index in range(ITEMS)]
    assert [result["outcome"] for result in results] == wanted


@pytest.mark.parametrize("head", [{"verifier": "exact"}, {"recipe": "plain"}], ids=["verify", "rewards"])
async def test_a_job_survives_kills(db: Database, database_url: str, head: dict[str, str]) -> None:
    async with Ledger(db, 1000) as ledger:
        (job,) = await submit(service(db, ledger), head, 1)
        for _ in range(KILLS):
            await asyncio.to_thread(kill_at_random, database_url)
        await asyncio.to_thread(work_to_the_end, database_url)
        await assert_whole(service(db, ledger), job)
    assert await count(db, tables.Verdict) == ITEMS
    assert await count(db, tables.Reward) == (ITEMS if "recipe" in head else 0)


@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_servers_share_jobs_and_take_over_those_of_the_dead(db: Database, database_url: str) -> None:
    async with Ledger(db, 1000) as ledger:
        jobs = await submit(service(db, ledger), {"verifier": "exact"}, 4)
        dying = asyncio.to_thread(kill_at_random, database_url)
        living = [asyncio.to_thread(work_to_the_end, database_url) for _ in range(2)]
        await asyncio.gather(dying, *living)
        for job in jobs:
            await assert_whole(service(db, ledger), job)
    assert await count(db, tables.Verdict) == ITEMS * len(jobs)


async def test_a_job_is_accepted_wholly_or_not_at_all(db: Database, database_url: str) -> None:
    answered: set[str] = set()
    for _ in range(KILLS):
        answered |= await asyncio.to_thread(accept_until_killed, database_url)
    jobs = await all_jobs(db)
    assert answered <= {job.id for job in jobs}
    for job in jobs:
        assert job.counts["total"] == await items_of(db, job.id) == 1200


def accept_until_killed(url: str) -> set[str]:
    with ready("accept", url) as (process, printed):
        time.sleep(random.uniform(0.1, 0.6))
        process.kill()
        return {line.strip() for line in printed if line.endswith("\n")}


async def all_jobs(db: Database) -> list[JobView]:
    return list(await JobsRepository(db).page(PageRange(limit=1000)))


async def items_of(db: Database, job: str) -> int:
    async with db.read() as connection:
        query = select(func.count()).select_from(tables.JobItem).where(tables.JobItem.job == job)
        return (await connection.execute(query)).scalar_one()


async def test_what_is_left_of_an_upload_is_swept_after_an_hour(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = JobsRepository(db)
    await repository.begin("new", "verify", {"verifier": "exact"}, None)
    await repository.add("new", [QueuedItem(0, "r", "s", "{}")])
    earlier = now() - timedelta(hours=2)
    with monkeypatch.context() as patch:
        patch.setattr("app.jobs.repository.now", lambda: earlier)
        await repository.begin("old", "verify", {"verifier": "exact"}, None)
        await repository.add("old", [QueuedItem(0, "r", "s", "{}")])
    await repository.discard_abandoned()
    assert (await items_of(db, "old"), await items_of(db, "new")) == (0, 1)


async def test_a_clock_that_is_set_ahead_ends_no_upload(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = JobsRepository(db)
    await repository.begin("open", "verify", {"verifier": "exact"}, None)
    await repository.add("open", [QueuedItem(0, "r", "s", "{}")])
    later = now() + timedelta(hours=7)
    monkeypatch.setattr("app.kit.clock.now", lambda: later)
    await repository.discard_abandoned()
    assert await items_of(db, "open") == 1
