"""Readiness tries what it says."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from sqlalchemy import func, select, text

from app.health.service import Health, checks_of_sandbox, probe_database
from app.kit.db import Database
from app.scoring.programs import Programs
from app.settings import Settings
from app.tables import Idempotency

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
