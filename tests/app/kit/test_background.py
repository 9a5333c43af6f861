"""Work beside the requests: it starts and ends with its context, and what is refreshed outlives an outage."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from app.kit.background import Background, Refreshed


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


async def test_what_is_known_is_read_on_entering_and_again_and_again() -> None:
    async with Known() as known:
        assert known.refreshes == 1
        while known.refreshes < 4:
            await asyncio.sleep(0.001)


async def test_a_refresh_that_fails_is_not_the_last() -> None:
    async with Known(2, 3) as known:
        while known.refreshes < 5:
            await asyncio.sleep(0.001)


async def test_a_service_does_not_start_without_what_it_has_to_know() -> None:
    with pytest.raises(OSError, match="down"):
        async with Known(1):
            pass
    assert "known things" not in {task.get_name() for task in asyncio.all_tasks()}
