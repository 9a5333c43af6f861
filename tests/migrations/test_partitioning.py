"""The ledger in partitions on PostgreSQL: rows stay where they are, writers go on, and there is a way back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from operator import itemgetter

import pytest
from sqlalchemy import Dialect, Table, text

from app import tables
from app.kit import migrate
from app.kit.db import Database, insert_in
from app.kit.partitions import Partition, drop, make_ahead, partitions
from app.kit.tokens import first_id, new_id
from app.path.ledger import Ledger
from app.path.rows import Insert, RequestContext
from tests.app.records import count, entry, recorded
from tests.live import COMMAND

pytestmark = pytest.mark.postgres
SOON_S = 60.0
SINCE = {("verdicts", "length"), ("verdicts", "prompt")}


class InsertOfBefore(Insert):
    """Without the columns that verdicts got since."""

    def __init__(self, table: type[tables.Table], dialect: Dialect) -> None:
        target = table.__table__
        assert isinstance(target, Table)
        names = [column.name for column in target.columns if (target.name, column.name) not in SINCE]
        compiled = insert_in(dialect.name, target).on_conflict_do_nothing().compile(dialect=dialect, column_keys=names)
        self.sql = str(compiled)
        self.row = itemgetter(*(getattr(compiled, "positiontup", None) or names))


@pytest.fixture
async def old(empty_postgres: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """A database of before, without the table of deletions, and a ledger that writes what it has."""
    monkeypatch.setattr("app.path.ledger.Insert", InsertOfBefore)
    await migrate.upgrade(empty_postgres, "0010")
    async with Database(empty_postgres) as db:
        yield db


async def write(ledger: Ledger, *records: str) -> None:
    entries = [entry(record, record=record) for record in records]
    await ledger.write(entries, RequestContext(), asyncio.get_running_loop().time() + SOON_S)


async def upgraded(url: str) -> int:
    """Migrates in a process of its own, as a server that starts does."""
    process = await asyncio.create_subprocess_exec(
        COMMAND, "db", "upgrade", env={**os.environ, "TRUEWARD_DATABASE_URL": url}
    )
    return await process.wait()


async def oid(db: Database, table: str) -> int:
    async with db.read() as connection:
        found: int = (await connection.execute(text(f"SELECT '{table}'::regclass::oid::int"))).scalar_one()
        return found


async def held(db: Database, partition: str) -> set[str]:
    async with db.read() as connection:
        return set((await connection.execute(text(f"SELECT record FROM {partition}"))).scalars())


async def test_rows_of_before_become_the_first_partition_where_they_are(old: Database, empty_postgres: str) -> None:
    async with Ledger(old, 1000) as ledger:
        await write(ledger, *(records := [new_id() for _ in range(50)]))
        before = await oid(old, "verdicts")
        await migrate.upgrade(empty_postgres)
        assert await oid(old, "verdicts_before") == before
        assert await held(old, "verdicts_before") == set(records)
        await write(ledger, records[0], later := new_id())
    assert sorted(await recorded(old)) == sorted([*records, later])


async def test_a_record_from_the_far_future_is_kept_with_the_rest(old: Database, empty_postgres: str) -> None:
    async with Ledger(old, 1000) as ledger:
        await write(ledger, record := new_id(), far := first_id(datetime(2099, 1, 1, tzinfo=UTC)))
    await migrate.upgrade(empty_postgres)
    assert (await held(old, "verdicts_before"), await held(old, "verdicts_rest")) == ({record}, {far})


async def test_a_service_of_before_writes_on_while_another_migrates(old: Database, empty_postgres: str) -> None:
    written: list[str] = []

    async def go_on(ledger: Ledger) -> None:
        while not done.is_set():
            await write(ledger, record := new_id())
            written.append(record)

    done = asyncio.Event()
    async with Ledger(old, 1000) as ledger:
        writers = [asyncio.create_task(go_on(ledger)) for _ in range(4)]
        assert list(await asyncio.gather(upgraded(empty_postgres), upgraded(empty_postgres))) == [0, 0]
        upon = len(written)
        while len(written) < upon + 20:
            await asyncio.sleep(0)
        done.set()
        await asyncio.gather(*writers)
    assert sorted(await recorded(old)) == sorted(written)


async def test_a_reader_that_takes_long_delays_the_migration_and_no_writer(old: Database, empty_postgres: str) -> None:
    async with Ledger(old, 1000) as ledger, old.read() as reading:
        await reading.execute(text("SELECT count(*) FROM verdicts"))
        migrating = asyncio.create_task(migrate.upgrade(empty_postgres))
        await asyncio.sleep(0)
        async with old.read() as looking:
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")
            while not (await looking.execute(waits)).scalar_one():
                await asyncio.sleep(0.02)
        await write(ledger, new_id())
        assert not migrating.done()
        await reading.rollback()
        await asyncio.wait_for(migrating, SOON_S)
    assert await count(old, tables.Verdict) == 1


async def test_the_way_back_keeps_the_rows_of_every_partition(old: Database, empty_postgres: str) -> None:
    await migrate.upgrade(empty_postgres)
    await make_ahead(old, datetime.now(UTC), 3)
    months = [partition.end for partition in await of_verdicts(old)]
    async with Ledger(old, 1000) as ledger:
        await write(ledger, *(records := [new_id(), *months, first_id(datetime(2099, 1, 1, tzinfo=UTC))]))
    await migrate.downgrade(empty_postgres, "0010")
    assert sorted(await recorded(old)) == records
    await migrate.upgrade(empty_postgres)
    assert sorted(await recorded(old)) == records


async def test_the_way_back_is_there_when_the_first_partition_is_gone(old: Database, empty_postgres: str) -> None:
    await migrate.upgrade(empty_postgres)
    for partition in await of_verdicts(old):
        assert await drop(old, partition)
    await migrate.downgrade(empty_postgres, "0010")
    await migrate.upgrade(empty_postgres)
    assert [partition.name for partition in await of_verdicts(old)] == ["verdicts_before"]


async def of_verdicts(db: Database) -> list[Partition]:
    async with db.read() as connection:
        return [partition for partition in await partitions(connection) if partition.table == "verdicts"]
