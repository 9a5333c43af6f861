"""PostgreSQL's partitions: made ahead, filled from the rest, and dropped where every record of a month is due."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from app import tables
from app.kit.db import Database
from app.kit.migrate import upgrade
from app.kit.partitions import PARTITIONS, make_ahead
from tests.app.records import count
from tests.app.retention.made import ago, deleted, left, make_project, responses, write

pytestmark = pytest.mark.postgres


@pytest.fixture
async def db(empty_postgres: str) -> AsyncIterator[Database]:
    """With the partitions of the last months: the one of before ends long ago."""
    await upgrade(empty_postgres)
    async with Database(empty_postgres) as database:
        async with database.write() as connection:
            for table in ("verdicts", "rewards"):
                await connection.execute(text(f"DROP TABLE {table}_before"))
        await make_ahead(database, ago(150), 6)
        yield database


async def names(db: Database) -> set[str]:
    async with db.read() as connection:
        return set((await connection.execute(text(PARTITIONS))).scalars())


async def in_partition(db: Database, name: str) -> int:
    async with db.read() as connection:
        return int((await connection.execute(text(f"SELECT count(*) FROM {name}"))).scalar_one())


async def test_making_ahead_twice_makes_nothing_new(db: Database) -> None:
    before = await names(db)
    assert await make_ahead(db, ago(150), 6) == []
    assert await names(db) == before


async def test_servers_that_start_together_make_a_month_once(db: Database) -> None:
    at = datetime(2090, 5, 17, tzinfo=UTC)
    made = await asyncio.gather(*(make_ahead(db, at, 1) for _ in range(3)))
    assert sorted(name for one in made for name in one) == [
        "rewards_2090_05",
        "rewards_2090_06",
        "verdicts_2090_05",
        "verdicts_2090_06",
    ]


async def test_a_month_that_comes_late_takes_its_records_from_the_rest(db: Database) -> None:
    days = (ago(0) - datetime(2015, 3, 3, tzinfo=UTC)).days
    await write(db, ["a", "b"], days=days)
    assert await in_partition(db, "verdicts_rest") == 2
    await make_ahead(db, datetime(2015, 3, 9, tzinfo=UTC), 0)
    assert (await in_partition(db, "verdicts_rest"), await in_partition(db, "verdicts_2015_03")) == (0, 2)
    assert await count(db, tables.Verdict) == 2


async def test_a_record_lies_in_the_month_that_it_was_made_in(db: Database) -> None:
    await write(db, ["a"], days=40)
    assert await in_partition(db, f"verdicts_{ago(40):%Y_%m}") == 1
    assert await in_partition(db, "verdicts_rest") == 0


async def test_months_that_are_due_are_dropped_and_their_samples_go(db: Database) -> None:
    await write(db, ["old", "old again", "judged again"], days=120)
    await write(db, ["younger", "judged again"], days=1)
    async with db.write() as connection:
        await connection.execute(text(f"UPDATE samples SET created_at = '{ago(119)}'"))
    done = await deleted(db, older_than_days=75)
    assert done.rows == {"rewards": 3, "samples": 2, "verdicts": 3}
    assert f"verdicts_{ago(120):%Y_%m}" not in await names(db)
    assert f"verdicts_{ago(1):%Y_%m}" in await names(db)
    assert await responses(db) == ["judged again", "younger"]


async def test_a_month_in_which_somebody_keeps_a_record_stays(db: Database) -> None:
    await make_project(db, "short", "k1")
    await write(db, ["theirs"], days=120, owner="k1")
    await write(db, ["kept"], days=120)
    await deleted(db, older_than_days=75, project="short")
    assert f"verdicts_{ago(120):%Y_%m}" in await names(db)
    assert await left(db, tables.Verdict) == ["kept"]
