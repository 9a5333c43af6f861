"""Slots for so many at once: nobody more, by turns, and none is lost with whoever goes away."""

from __future__ import annotations

import asyncio

import pytest

from app.admission.demand import Demand
from app.admission.slots import Slots
from tests.app.path.lines import turns


class Guests:
    """They come for a place, and stay until they are sent away."""

    def __init__(self, places: Slots) -> None:
        self._places = places
        self.inside: dict[str, asyncio.Event] = {}
        self.visits: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str, project: str | None = None, seconds: float = 1.0, behind: bool = False) -> None:
        for name in names:
            self.visits[name] = asyncio.create_task(self._stay(name, project, seconds, behind))
            await turns()

    async def _stay(self, name: str, project: str | None, seconds: float, behind: bool) -> None:
        async with self._places.take(seconds, Demand(flow=name, project=project), behind=behind):
            self.inside[name] = asyncio.Event()
            try:
                await self.inside[name].wait()
            finally:
                del self.inside[name]

    async def leaves(self, name: str) -> None:
        self.inside[name].set()
        await turns()

    async def goes_away(self, *names: str) -> None:
        for name in names:
            self.visits[name].cancel()
        await turns()

    @property
    def who(self) -> str:
        return "".join(sorted(self.inside))


@pytest.fixture
def places() -> Slots:
    return Slots(2, lambda project: 3.0 if project == "heavy" else 1.0)


@pytest.fixture
def guests(places: Slots) -> Guests:
    return Guests(places)


async def test_as_many_as_there_are_places_are_let_in_and_the_next_when_one_leaves(
    places: Slots, guests: Guests
) -> None:
    await guests.come("a", "b", "c", "d")
    assert (guests.who, places.running, len(places.turns)) == ("ab", 2, 2)
    await guests.leaves("a")
    assert (guests.who, places.running, len(places.turns)) == ("bc", 2, 1)
    for name in "bcd":
        await guests.leaves(name)
    assert (guests.who, places.running, len(places.turns)) == ("", 0, 0)


async def test_a_place_that_is_free_is_taken_again(places: Slots, guests: Guests) -> None:
    for name in "abcd":
        await guests.come(name)
        await guests.leaves(name)
    assert places.running == 0


async def test_who_waits_is_known_with_the_seconds_that_it_needs(places: Slots, guests: Guests) -> None:
    await guests.come("a", "b", "c", "d", seconds=2.5)
    assert places.turns.seconds == 5.0


async def test_turns_are_taken_between_projects_by_their_weights(places: Slots, guests: Guests) -> None:
    await guests.come("x", "y")
    await guests.come("a", "b", "c", "d", project="light")
    await guests.come("e", "f", "g", "h", project="heavy")
    for name in "xy":
        await guests.leaves(name)
    served = list(guests.inside)
    while guests.inside:
        name = next(iter(guests.inside))
        await guests.leaves(name)
        served += [name for name in guests.inside if name not in served]
    assert "".join(served[:4]) == "aefg"


async def test_a_failure_leaves_its_place(places: Slots) -> None:
    with pytest.raises(KeyError):
        async with places.take(1.0):
            raise KeyError("x")
    assert places.running == 0


async def test_who_goes_away_while_it_waits_is_not_waited_for(places: Slots, guests: Guests) -> None:
    await guests.come("a", "b", "c", "d")
    await guests.goes_away("c")
    assert (guests.who, places.running, len(places.turns)) == ("ab", 2, 1)
    await guests.leaves("a")
    assert guests.who == "bd"


async def test_who_goes_away_when_its_turn_has_come_passes_it_on(places: Slots, guests: Guests) -> None:
    await guests.come("a", "b", "c", "d")
    guests.inside["a"].set()
    # a leaves within this step and c is given the place, but has not woken up to it yet
    await asyncio.sleep(0)
    assert (places.running, len(places.turns)) == (2, 1)
    await guests.goes_away("c")
    assert (guests.who, places.running, len(places.turns)) == ("bd", 2, 0)
    for name in "bd":
        await guests.leaves(name)
    assert places.running == 0


async def test_the_turn_of_one_who_is_going_away_is_the_next_one_s(places: Slots, guests: Guests) -> None:
    await guests.come("a", "b", "c", "d")
    guests.inside["a"].set()
    # a leaves before c, who has been told to go, has woken up to it
    guests.visits["c"].cancel()
    await turns()
    assert (guests.who, places.running, len(places.turns)) == ("bd", 2, 0)


async def test_when_all_who_wait_go_away_their_places_are_free(places: Slots, guests: Guests) -> None:
    await guests.come("a", "b", "c", "d")
    await guests.goes_away("c", "d", "a", "b")
    assert (guests.who, places.running, len(places.turns)) == ("", 0, 0)
    await guests.come("e")
    assert guests.who == "e"


async def test_who_waits_behind_is_let_in_after_all_others(places: Slots, guests: Guests) -> None:
    await guests.come("ab")
    await guests.come("c", "d", behind=True, seconds=5.0)
    await guests.come("e", "f")
    assert (guests.who, places.waiting) == ("abc", 3)
    assert places.backlog_s == 3.5
    for name, inside in (("ab", "ce"), ("c", "ef"), ("e", "df"), ("f", "d")):
        await guests.leaves(name)
        assert guests.who == inside
    await guests.leaves("d")
    assert (places.running, places.waiting, places.backlog_s) == (0, 0, 0.0)


async def test_who_goes_away_while_it_waits_behind_is_not_waited_for(places: Slots, guests: Guests) -> None:
    await guests.come("a", "b")
    await guests.come("c", "d", behind=True)
    await guests.goes_away("c")
    assert places.waiting == 1
    await guests.leaves("a")
    assert (guests.who, places.waiting) == ("bd", 0)
