"""Work that several wait for: begun once, given up with the last of them, forgotten when it is over."""

from __future__ import annotations

import asyncio

import pytest

from app.lanes.flights import Flights


class Work:
    """Ends with what it is told, when it is told; notes how often it was begun and given up."""

    def __init__(self) -> None:
        self.begun = 0
        self.given_up = 0
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def run(self) -> str:
        self.begun += 1
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.given_up += 1
            raise


async def turns() -> None:
    """Lets everything that is ready go as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def started(flights: Flights[str, str], work: Work, joining: int = 0) -> list[asyncio.Task[str]]:
    """Whoever waits for the work under ``key``: who began it, and those who joined."""
    waiting = [asyncio.create_task(flights.start("key", work.run()))]
    await turns()
    waiting += [asyncio.create_task(flights.join("key")) for _ in range(joining)]
    await turns()
    return waiting


async def gone(*waiting: asyncio.Task[str]) -> None:
    for one in waiting:
        one.cancel()
    await turns()
    assert all(one.cancelled() for one in waiting)


@pytest.fixture
def flights() -> Flights[str, str]:
    return Flights()


@pytest.fixture
async def work() -> Work:
    return Work()


async def test_what_several_wait_for_is_begun_once_and_told_to_all(flights: Flights[str, str], work: Work) -> None:
    waiting = await started(flights, work, joining=3)
    assert not any(one.done() for one in waiting)
    work.answer.set_result("done")
    assert await asyncio.gather(*waiting) == ["done"] * 4
    assert (work.begun, work.given_up) == (1, 0)


async def test_a_failure_is_told_to_all(flights: Flights[str, str], work: Work) -> None:
    waiting = await started(flights, work, joining=2)
    failure = KeyError("x")
    work.answer.set_exception(failure)
    assert await asyncio.gather(*waiting, return_exceptions=True) == [failure] * 3
    assert "key" not in flights


async def test_what_is_under_way_is_known_by_its_key_until_it_is_over(flights: Flights[str, str], work: Work) -> None:
    assert "key" not in flights
    [waiting] = await started(flights, work)
    assert "key" in flights
    assert "another" not in flights
    work.answer.set_result("done")
    await waiting
    await turns()
    assert "key" not in flights


async def test_other_keys_are_other_work(flights: Flights[str, str], work: Work) -> None:
    other = Work()
    waiting = [asyncio.create_task(flights.start(key, one.run())) for key, one in (("key", work), ("another", other))]
    await turns()
    work.answer.set_result("done")
    other.answer.set_result("done elsewhere")
    assert await asyncio.gather(*waiting) == ["done", "done elsewhere"]


@pytest.mark.parametrize("leaving", [0, 1, 2])
async def test_one_who_goes_away_takes_nothing_from_the_others(
    flights: Flights[str, str], work: Work, leaving: int
) -> None:
    waiting = await started(flights, work, joining=2)
    await gone(waiting.pop(leaving))
    assert "key" in flights
    work.answer.set_result("done")
    assert await asyncio.gather(*waiting) == ["done"] * 2
    assert work.given_up == 0


async def test_work_is_given_up_with_the_last_who_waits_for_it(flights: Flights[str, str], work: Work) -> None:
    waiting = await started(flights, work, joining=2)
    await gone(*waiting[:2])
    assert (work.given_up, "key" in flights) == (0, True)
    await gone(waiting[2])
    assert (work.given_up, "key" in flights) == (1, False)


async def test_what_is_over_can_be_begun_again(flights: Flights[str, str], work: Work) -> None:
    [first] = await started(flights, work)
    work.answer.set_result("done")
    assert await first == "done"
    again = Work()
    waiting = await started(flights, again, joining=1)
    again.answer.set_result("done again")
    assert await asyncio.gather(*waiting) == ["done again"] * 2


async def test_what_was_given_up_does_not_take_its_successor_along(flights: Flights[str, str], work: Work) -> None:
    [first] = await started(flights, work)
    first.cancel()
    again = Work()
    second = asyncio.create_task(flights.start("key", again.run()))
    await turns()
    assert (first.cancelled(), work.given_up) == (True, 1)
    assert "key" in flights
    joined = asyncio.create_task(flights.join("key"))
    await turns()
    again.answer.set_result("done again")
    assert [await second, await joined] == ["done again"] * 2
    assert again.given_up == 0


async def test_nobody_can_join_what_is_to_be_given_up(flights: Flights[str, str], work: Work) -> None:
    [first] = await started(flights, work)
    first.cancel()
    while not first.done():
        await asyncio.sleep(0)
    assert work.given_up == 0, "it is told after whoever waited for it has gone"
    assert "key" not in flights
    await turns()
    assert work.given_up == 1
