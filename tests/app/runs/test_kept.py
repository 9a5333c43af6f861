"""What is kept of a run is what would be computed anew, whatever came to the ledger or went from it meanwhile."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from app.kit.db import Database
from app.path.rows import Entry
from app.projects.visibility import EVERYTHING, Sight
from app.runs.changes import ChangesReader
from app.runs.kept import KeptReadings
from app.runs.series import SeriesRepository
from app.tables import Reward as RewardTable
from tests.app.watch.recording import entry, record


def step_of(number: int) -> list[Entry]:
    """Two groups of two; from step 3 on one of each lists numbers."""
    texts = ["Possible answers: 1, 2, 3" if number >= 3 else "It is 7", f"It is {number}"]
    return [entry(f"p{place}", text, group=f"{number}-{place}") for place in range(2) for text in texts]


async def test_a_series_is_counted_once_until_the_run_goes_on(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await record(db, "r", [step_of(number) for number in range(4)])
    readings = KeptReadings()
    first = await readings.series(db, EVERYTHING, "r")
    with monkeypatch.context() as patched:
        patched.setattr(SeriesRepository, "of_run", None)  # whoever counts again fails
        assert await readings.series(db, EVERYTHING, "r") is first
        with pytest.raises(TypeError):
            await readings.series(db, Sight(None), "r")  # of somebody who may see less nothing is known
    await record(db, "r", [step_of(4)], first=4)
    again = await readings.series(db, EVERYTHING, "r")
    assert again is not None
    assert again.series == await SeriesRepository(db).of_run("r")
    assert again.series.points[-1].last_step == 4


async def test_a_series_is_counted_again_where_a_record_in_its_middle_was_erased(db: Database) -> None:
    await record(db, "r", [step_of(number) for number in range(4)])
    readings = KeptReadings()
    await readings.series(db, EVERYTHING, "r")
    async with db.write() as connection:
        await connection.execute(delete(RewardTable).where(RewardTable.step == 2))
    found = await readings.series(db, EVERYTHING, "r")
    assert found is not None
    assert found.series == await SeriesRepository(db).of_run("r")
    assert found.extent.records == found.series.counted == 12


async def test_nothing_is_kept_of_a_run_without_records(db: Database) -> None:
    assert await KeptReadings().series(db, EVERYTHING, "nobody") is None


async def test_changes_are_compared_once_until_a_record_is_gone(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await record(db, "r", [step_of(number) for number in range(8)])
    readings = KeptReadings()
    first = await readings.changes(db, "r", 3)
    assert first == await ChangesReader(db).of_run("r", 3)
    with monkeypatch.context() as patched:
        patched.setattr("app.runs.changes._compared", None)  # whoever compares again fails
        assert await readings.changes(db, "r", 3) is first
        with pytest.raises(TypeError):
            await readings.changes(db, "r", 4)
    async with db.write() as connection:
        await connection.execute(delete(RewardTable).where(RewardTable.step == 5))
    found = await readings.changes(db, "r", 3)
    assert found == await ChangesReader(db).of_run("r", 3)
    assert found.after == first.after - 4
