"""The database's two doors, and whose turn it is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.kit.claim import claim, sole_server
from app.kit.db import Database, Statement, engine_url, is_outage
from tests.app.outage import outage
from trueward.errors import AlreadyServed

MARK = text("INSERT INTO run_marks (id, run, at, kind, detail) VALUES (:id, 'r', '2026-01-01', 'k', '{}')")
COUNT = text("SELECT count(*) FROM run_marks")


async def marks(db: Database) -> int:
    async with db.read() as connection:
        return int((await connection.execute(COUNT)).scalar_one())


async def mark(db: Database, name: str) -> None:
    async with db.write() as connection:
        await connection.execute(MARK, {"id": name})


async def test_a_write_is_committed_at_the_end_of_its_block(db: Database) -> None:
    async with db.write() as connection:
        await connection.execute(MARK, {"id": "a"})
        assert await marks(db) == 0
    assert await marks(db) == 1


async def test_a_write_that_raises_is_undone(db: Database) -> None:
    async def fail() -> None:
        async with db.write() as connection:
            await connection.execute(MARK, {"id": "a"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await marks(db) == 0


async def test_a_cancelled_write_is_undone_and_the_next_goes_on(db: Database) -> None:
    async def stuck() -> None:
        async with db.write() as connection:
            await connection.execute(MARK, {"id": "a"})
            await asyncio.sleep(60)

    task = asyncio.create_task(stuck())
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with db.write() as connection:
        await connection.execute(MARK, {"id": "b"})
    assert await marks(db) == 1


def rows_of(db: Database, *names: str) -> Statement:
    """``INSERT`` in the driver's words, and a mark for each name."""
    places = "?, 'r', '2026-01-01', 'k', '{}'" if db.dialect == "sqlite" else "$1, 'r', '2026-01-01', 'k', '{}'"
    return f"INSERT INTO run_marks (id, run, at, kind, detail) VALUES ({places})", [(name,) for name in names]


async def test_rows_are_inserted_all_or_none(db: Database) -> None:
    await db.insert([rows_of(db, "a", "b"), rows_of(db, "c")])
    assert await marks(db) == 3
    with pytest.raises(DBAPIError) as twice:
        await db.insert([rows_of(db, "d"), rows_of(db, "e", "a")])
    assert not is_outage(twice.value)
    assert await marks(db) == 3
    async with outage(db):
        with pytest.raises(Exception, match=r".") as down:
            await db.insert([rows_of(db, "f")])
    assert is_outage(down.value)
    await db.insert([rows_of(db, "f")])
    assert await marks(db) == 4


async def test_rows_and_writes_take_turns(db: Database) -> None:
    names = [f"m{number}" for number in range(60)]
    await asyncio.gather(*(mark(db, n) if n.endswith("1") else db.insert([rows_of(db, n)]) for n in names))
    assert await marks(db) == 60


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_cancelled_insertion_ends_before_the_next_write_begins(db: Database) -> None:
    many = rows_of(db, *(f"m{number}" for number in range(50_000)))
    task = asyncio.create_task(db.insert([many]))
    await asyncio.sleep(0.02)
    task.cancel()
    await mark(db, "b")
    assert task.cancelled()
    assert await marks(db) == 50_001


async def test_a_reader_sees_one_state(db: Database) -> None:
    if db.dialect == "postgresql":
        return  # its default, read committed, is per statement
    async with db.read() as connection:
        before = (await connection.execute(COUNT)).scalar_one()
        async with db.write() as writer:
            await writer.execute(MARK, {"id": "a"})
        assert (await connection.execute(COUNT)).scalar_one() == before
    assert await marks(db) == 1


async def test_many_writers_at_once_all_commit(db: Database) -> None:
    await asyncio.gather(*(mark(db, f"m{index}") for index in range(100)))
    assert await marks(db) == 100


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_sqlite_reader_cannot_write(db: Database) -> None:
    with pytest.raises(DBAPIError, match="readonly"):
        async with db.read() as connection:
            await connection.execute(MARK, {"id": "a"})


async def test_an_outage_is_told_from_a_bad_value(db: Database) -> None:
    await mark(db, "a")
    with pytest.raises(DBAPIError) as twice:
        await mark(db, "a")
    assert not is_outage(twice.value)
    async with outage(db):
        with pytest.raises(Exception, match=r".") as down:
            await mark(db, "b")
    assert is_outage(down.value)
    await mark(db, "c")
    assert await marks(db) == 2


@pytest.mark.parametrize(
    ("url", "driver"),
    [
        ("postgres://u:p%40@h/d?sslmode=require", "postgresql+asyncpg://u:p%40@h/d?ssl=require"),
        ("postgresql://u@h:1/d", "postgresql+asyncpg://u@h:1/d"),
        ("sqlite:////tmp/a b.db", "sqlite+aiosqlite:////tmp/a b.db"),
    ],
)
def test_urls_get_their_driver(url: str, driver: str) -> None:
    assert engine_url(url).render_as_string(hide_password=False) == driver


@pytest.mark.parametrize("url", ["mysql://h/d", "sqlite://", "sqlite:///:memory:"])
def test_a_database_that_cannot_serve_is_refused_with_what_can(url: str) -> None:
    with pytest.raises(ValueError, match="sqlite:///path"):
        engine_url(url)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_second_server_on_the_same_file_is_refused_until_the_first_is_dead(db: Database) -> None:
    assert isinstance(db.path, Path)
    holder = (
        "import sys, time\nfrom app.kit.claim import sole_server\nfrom app.kit.db import Database\n"
        "with sole_server(Database(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", holder, f"sqlite:///{db.path}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:  # noqa: ASYNC220 - nothing else runs
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(AlreadyServed, match="another server"), sole_server(db):
            pass
        first.kill()
        first.wait()
        with sole_server(db):
            pass


async def test_a_claim_has_one_holder(db: Database, database_url: str) -> None:
    if db.dialect == "sqlite":
        return  # its one server has every claim
    async with Database(database_url) as other:
        async with claim(db, "j") as mine:
            assert mine is not None
            assert await mine.is_held()
            async with claim(other, "j") as theirs, claim(other, "k") as free:
                assert theirs is None
                assert free is not None
        async with claim(other, "j") as theirs:
            assert theirs is not None


@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_claim_whose_connection_died_is_not_held(db: Database) -> None:
    async with claim(db, "j") as mine:
        assert mine is not None
        async with outage(db):
            assert not await mine.is_held()
    async with claim(db, "j") as again:
        assert again is not None
