"""Work beside the requests: it starts and ends with its context, and what is refreshed outlives an outage."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from sqlalchemy import insert

from app.kit.background import Background, Refreshed, Refresher
from app.kit.clock import now
from app.kit.db import Database
from app.tables import Project


class Counting(Background):
    task = "counting"

    def __init__(self) -> None:
        self.beats = 0
        self.seen: set[str] = set()

    async def _run(self) -> None:
        while True:
            self.beats += 1
            self.seen |= {task.get_name() for task in asyncio.all_tasks()}
            await asyncio.sleep(0)


class Known(Refreshed):
    """Fails at the refreshes whose numbers are given."""

    task = "known things"

    def __init__(self, *failing: int) -> None:
        self.refreshes = 0
        self._failing = failing

    async def refresh(self) -> None:
        self.refreshes += 1
        if self.refreshes in self._failing:
            raise OSError("the database is down")


def opened(db: Database) -> None:
    """As the service does with a file."""
    if db.file is not None:
        db.file.open()


async def until(known: Known, refreshes: int) -> None:
    async with asyncio.timeout(10):
        while known.refreshes < refreshes:
            await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.kit.background.REFRESH_S", 0.001)


async def test_work_goes_on_under_its_name_until_its_context_is_left() -> None:
    async with Counting() as counting:
        while counting.beats < 3:
            await asyncio.sleep(0.001)
    assert "counting" in counting.seen
    beats = counting.beats
    await asyncio.sleep(0.01)
    assert counting.beats == beats


class Deaf(Background):
    """Loses the first cancellation, as a wait that ends at that moment does."""

    task = "deaf"

    async def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()


async def test_a_cancellation_that_got_lost_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.kit.background._AGAIN_S", 0.01)
    async with asyncio.timeout(5), Deaf():
        await asyncio.sleep(0.01)


async def test_what_fails_inside_ends_the_work_too() -> None:
    with pytest.raises(ValueError, match="inside"):
        async with Counting() as counting:
            raise ValueError("inside")
    beats = counting.beats
    await asyncio.sleep(0.01)
    assert counting.beats == beats


async def test_what_is_known_is_read_on_entering_and_after_every_commit_whoever_made_it(
    db: Database, database_url: str
) -> None:
    opened(db)
    async with Known() as known, Database(database_url) as other, Refresher(db, [known]):
        assert known.refreshes == 1
        await until(known, 2)  # at least once, for what was committed between the two
        for place, writer in enumerate((db, other, db)):
            async with writer.write() as connection:
                await connection.execute(insert(Project).values(id=f"p{place}", weight=1.0, created_at=now()))
            await until(known, 3 + place)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # PostgreSQL tells nobody what is new
async def test_where_nothing_was_committed_nothing_is_asked(db: Database) -> None:
    opened(db)
    async with Known() as known, Refresher(db, [known]):
        await until(known, 2)
        await asyncio.sleep(0.05)
    assert known.refreshes == 2


async def test_a_refresh_that_fails_is_not_the_last_and_holds_up_no_other(db: Database) -> None:
    opened(db)
    async with Known(2, 3) as known, Known() as other, Refresher(db, [known, other]):
        await until(known, 4)
        await until(other, 4)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # PostgreSQL tells nobody what is new
async def test_of_a_file_in_trouble_nobody_relies_on_its_stamp(db: Database) -> None:
    opened(db)
    assert db.file is not None
    assert db.stamp() is not None
    assert db.stamp() == db.stamp()
    aside = db.file.path.with_suffix(".aside")
    db.file.path.rename(aside)
    assert db.stamp() is None
    aside.rename(db.file.path)
    assert db.stamp() is not None
    db.file.damage = "it is damaged"
    assert db.stamp() is None


async def test_a_service_does_not_start_without_what_it_has_to_know() -> None:
    with pytest.raises(OSError, match="down"):
        async with Known(1):
            pass
    assert "known things" not in {task.get_name() for task in asyncio.all_tasks()}
