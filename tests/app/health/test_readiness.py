"""Readiness tries what it says."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from sqlalchemy import func, select, text

from app.health.service import Health, Probe, checks_of_sandbox, probe_database
from app.kit.db import Database
from app.lanes.programs import Programs
from app.settings import Settings
from app.tables import Idempotency
from app.telemetry.collectors import OfHealth

FULL = {
    "sqlite": [
        "CREATE TRIGGER full_disk BEFORE INSERT ON idempotency BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    ],
    "postgresql": [
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql "
        "AS 'BEGIN RAISE disk_full USING MESSAGE = ''the disk is full''; END'",
        "CREATE TRIGGER full_disk BEFORE INSERT ON idempotency FOR EACH ROW EXECUTE FUNCTION full_disk()",
    ],
}
EMPTIED = {
    "sqlite": ["DROP TRIGGER full_disk"],
    "postgresql": ["DROP TRIGGER full_disk ON idempotency", "DROP FUNCTION full_disk()"],
}


async def test_a_database_that_takes_no_row_is_not_ready(db: Database) -> None:
    """A transaction that writes nothing succeeds there, as it does on a full disk."""
    health = Health({"database": probe_database(db)})
    await run(db, FULL)
    found = await health.readiness()
    assert not found.ready
    assert "full" in found.checks[0].detail
    await run(db, EMPTIED)
    assert (await health.readiness()).ready


async def run(db: Database, statements: dict[str, list[str]]) -> None:
    async with db.write() as connection:
        for statement in statements[db.dialect]:
            await connection.execute(text(statement))


async def test_the_probe_leaves_no_row(db: Database) -> None:
    assert await probe_database(db)() == db.dialect
    async with db.read() as connection:
        assert (await connection.execute(select(func.count()).select_from(Idempotency))).scalar_one() == 0


class _NoPrograms:
    async def probe(self) -> str:
        raise RuntimeError("no program can be isolated here")


@pytest.mark.parametrize(
    ("given", "ready"), [({}, True), ({"sandbox": "local"}, False), ({"sandbox": "off"}, True)], ids=str
)
def test_a_sandbox_that_was_set_and_cannot_isolate_is_no_readiness(given: dict[str, str], ready: bool) -> None:
    checks, parts = checks_of_sandbox(Settings(**given), cast(Programs, _NoPrograms()))  # type: ignore[arg-type]  # as the environment says it
    assert asyncio.run(Health(checks, parts).readiness()).ready is ready


def test_a_sandbox_that_is_off_is_in_order() -> None:
    checks, parts = checks_of_sandbox(Settings(sandbox="off"), cast(Programs, _NoPrograms()))
    assert asyncio.run(Health(checks, parts).readiness()).checks[0].ok


async def test_a_full_disk_is_said_in_the_database_s_words(db: Database) -> None:
    """Without the types of Python and the address that SQLAlchemy adds to its messages."""
    await run(db, FULL)
    [check] = (await Health({"database": probe_database(db)}).readiness()).checks
    await run(db, EMPTIED)
    assert "sqlalche.me" not in check.detail
    assert "Error: (" not in check.detail


class Part:
    """A part whose probe waits until it is told what to say."""

    def __init__(self) -> None:
        self.asked = 0
        self.answers: asyncio.Queue[bool] = asyncio.Queue()

    async def probe(self) -> str:
        self.asked += 1
        if not await self.answers.get():
            raise RuntimeError("it is away")
        return "well"


def show(health: Health) -> dict[str, float]:
    """What a scrape shows: the readiness, and each part."""
    samples = [sample for family in OfHealth(health).collect() for sample in family.samples]
    return {sample.labels.get("part", "ready"): sample.value for sample in samples}


@pytest.mark.parametrize("needed", [True, False])
async def test_metrics_show_a_part_that_is_down_and_a_scrape_waits_for_none(needed: bool) -> None:
    part = Part()
    probes: dict[str, Probe] = {"redis": part.probe}
    health = Health(probes) if needed else Health({}, probes)
    assert show(health) == {}
    for _ in range(3):  # scrapes while the part says nothing
        health.refresh()
        await asyncio.sleep(0)
    assert part.asked == 1
    part.answers.put_nowait(False)
    async with asyncio.timeout(5):
        while not show(health):
            await asyncio.sleep(0)
    assert show(health) == {"ready": 0.0 if needed else 1.0, "redis": 0.0}
    health.refresh()
    await asyncio.sleep(0)
    assert part.asked == 1  # what was found a moment ago is new enough
    health.stop()
    assert show(health) == {"ready": 0.0}
