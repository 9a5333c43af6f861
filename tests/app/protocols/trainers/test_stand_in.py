"""What stands in for missing rewards of groups whose members come one by one: seats, waiting, what comes again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.protocols.trainers import stand_in as module
from app.protocols.trainers.stand_in import Seat, StandIns
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

SCOPE = ("owner", "recipe", "run")


def paid(value: float | None, code: str = "") -> Reward:
    outcome = Outcome.ABSTAINED if value is None else Outcome.SCORED
    return Reward(outcome=outcome, reward=value, components={}, reason_code=code)


class Group:
    """The members of one prompt."""

    def __init__(self, standing: StandIns, name: str = "p", size: int | None = 4, at_once: int = 64) -> None:
        self.standing, self.name, self.size, self.at_once = standing, name, size, at_once
        self._count = 0

    def enter(self, content: str | None = None) -> Seat:
        self._count += 1
        content = content or f"{self.name} {self._count}"
        return self.standing.enter(SCOPE, self.name, content, size=self.size, at_once=self.at_once)

    def asks(self, value: float | None, seat: Seat | None = None, within_s: float = 60.0) -> asyncio.Task[float]:
        return asyncio.create_task(self._asked(seat or self.enter(), value, within_s))

    async def _asked(self, seat: Seat, value: float | None, within_s: float) -> float:
        until = asyncio.get_running_loop().time() + within_s
        try:
            return (await self.standing.numbers([seat], [paid(value)], until))[0]
        finally:
            self.standing.leave([seat])


@pytest.fixture
def standing() -> StandIns:
    return StandIns()


async def test_a_missing_member_waits_for_its_siblings_and_gets_their_mean(standing: StandIns) -> None:
    group = Group(standing)
    first = group.asks(None)
    assert [await group.asks(value) for value in (1.0, 0.0)] == [1.0, 0.0]
    await asyncio.sleep(0.05)
    assert not first.done()
    assert await group.asks(1.0) == 1.0
    assert await first == pytest.approx(2 / 3, rel=2**-12)


async def test_siblings_that_are_still_judged_are_waited_for(standing: StandIns) -> None:
    group = Group(standing)
    judged = [group.enter() for _ in range(3)]
    missing = group.asks(None)
    await asyncio.sleep(0.05)
    assert not missing.done()
    assert [await group.asks(0.5, seat) for seat in judged] == [0.5] * 3
    assert await missing == 0.5


@pytest.mark.parametrize("before", [[], [1.0, 0.0, 0.0]])
async def test_all_of_a_group_that_are_missing_get_the_same_number(standing: StandIns, before: Sequence[float]) -> None:
    for place, value in enumerate(before):
        await Group(standing, f"other {place}", size=1).asks(value)
    group = Group(standing)
    members = [group.asks(None) for _ in range(3)]
    await Group(standing, "one more", size=1).asks(1.0)
    members.append(group.asks(None))
    assert len(set(await asyncio.gather(*members))) == 1


async def test_a_number_once_given_stays_that_of_its_group(standing: StandIns) -> None:
    group = Group(standing)
    await group.asks(1.0)
    assert await group.asks(None, within_s=0.0) == 1.0
    await group.asks(0.0)
    assert await group.asks(None) == 1.0


async def test_the_next_step_is_another_group(standing: StandIns) -> None:
    group = Group(standing, size=2)
    assert [await group.asks(1.0), await group.asks(None)] == [1.0, 1.0]
    assert [await group.asks(0.0), await group.asks(None)] == [0.0, 0.0]


async def test_without_a_size_what_comes_within_a_while_belongs_together(
    standing: StandIns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.3)
    monkeypatch.setattr(module, "_LOOK_S", 0.02)
    group = Group(standing, size=None)
    missing = group.asks(None)
    for value in (1.0, 1.0, 0.0, 0.0):
        await asyncio.sleep(0.02)
        await group.asks(value)
    assert not missing.done()
    assert await missing == 0.5


class Polled:
    """A trainer that asks for one member's number again and again, as ROLL does."""

    def __init__(self, group: Group, content: str, value: float | None) -> None:
        self.group, self.content, self.value = group, content, value

    async def number(self, *, held_s: float, apart_s: float, judged_after_s: float = 0.0) -> float:
        now = asyncio.get_running_loop().time
        began = now()
        while True:
            seat = self.group.enter(self.content)
            try:
                async with asyncio.timeout(held_s):
                    await asyncio.sleep(max(0.0, began + judged_after_s - now()))
                    return (await self.group.standing.numbers([seat], [paid(self.value)], now() + 60))[0]
            except TimeoutError:
                await asyncio.sleep(apart_s)
            finally:
                self.group.standing.leave([seat])


async def test_polls_of_its_members_do_not_keep_a_group_open(
    standing: StandIns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.3)
    monkeypatch.setattr(module, "_LOOK_S", 0.02)
    group = Group(standing, size=None)
    await group.asks(1.0)
    missing = [Polled(group, f"m{n}", None) for n in range(3)]
    polls = []
    for one in missing:
        polls.append(asyncio.create_task(one.number(held_s=0.2, apart_s=0.02)))
        await asyncio.sleep(0.07)
    async with asyncio.timeout(5):
        assert await asyncio.gather(*polls) == [1.0, 1.0, 1.0]


async def test_a_member_that_is_asked_for_again_later_is_waited_for(
    standing: StandIns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than a group is kept of which nothing comes, and through the moments when nobody asks."""
    monkeypatch.setattr(module, "QUIET_S", 0.2)
    monkeypatch.setattr(module, "KEPT_S", 0.3)
    monkeypatch.setattr(module, "_LOOK_S", 0.01)
    group = Group(standing, size=None)
    missing = Polled(group, "missing", None).number(held_s=0.15, apart_s=0.05)
    judged = Polled(group, "judged", 0.25).number(held_s=0.15, apart_s=0.05, judged_after_s=1.0)
    async with asyncio.timeout(10):
        assert [*await asyncio.gather(missing, judged)] == [0.25, 0.25]


async def test_a_call_that_comes_again_takes_its_seat_and_record(standing: StandIns) -> None:
    group = Group(standing, size=2)
    gone = group.asks(None, seat := group.enter("same"))
    await asyncio.sleep(0.01)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    again = group.enter("same")
    assert again is seat
    twin = group.enter("same")
    assert twin.record != again.record
    missing, other = group.asks(None, again), group.asks(1.0, twin)
    assert [*await asyncio.gather(missing, other)] == [1.0, 1.0]


async def test_who_went_away_is_no_member_any_more(standing: StandIns) -> None:
    group = Group(standing, size=2)
    gone = group.asks(None)
    await asyncio.sleep(0.01)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    missing = group.asks(None)
    await asyncio.sleep(0.05)
    assert not missing.done()
    await group.asks(0.5)
    assert await missing == 0.5


async def test_a_trainer_keeps_calls_for_the_siblings(standing: StandIns) -> None:
    """With eight calls at once six may wait; the group without any reward is answered before the other."""
    mixed, lost = Group(standing, "mixed", 8, at_once=8), Group(standing, "lost", 8, at_once=8)
    await mixed.asks(1.0)
    waiting = [mixed.asks(None)]
    members = [lost.asks(None) for _ in range(5)]
    await asyncio.sleep(0.05)
    assert not any(one.done() for one in (*waiting, *members))
    members.append(lost.asks(None))
    assert len(set(await asyncio.gather(*members))) == 1
    assert not waiting[0].done()
    waiting[0].cancel()


async def test_a_member_whose_group_did_not_come_does_not_wait_again(standing: StandIns) -> None:
    seat = Group(standing).enter()
    until = asyncio.get_running_loop().time() + 60
    async with asyncio.timeout(1):
        assert await standing.numbers([seat], [paid(None, "group_incomplete")], until) == [0.0]


async def test_a_stop_of_the_service_answers_who_waits(standing: StandIns) -> None:
    group = Group(standing)
    await group.asks(0.5)
    missing = group.asks(None)
    await asyncio.sleep(0.01)
    standing.close()
    assert [await missing, await Group(standing, "q").asks(None)] == [0.5, 0.5]


async def test_groups_that_are_over_are_forgotten_and_one_that_may_be_joined_is_not(
    standing: StandIns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_S", 0.05)
    monkeypatch.setattr(module, "_SWEPT", 7)
    monkeypatch.setattr(module, "_SWEEP_S", 0.05)
    for number in range(20):
        group = Group(standing, f"p{number}", size=2)
        assert [await group.asks(1.0), await group.asks(0.0)] == [1.0, 0.0]
    begun = Group(standing, "begun", size=2)
    assert await begun.asks(1.0) == 1.0
    first = begun.asks(None)
    async with asyncio.timeout(10):
        while standing.kept > 1:
            await asyncio.sleep(0.01)
    assert await first == 1.0
    async with asyncio.timeout(10):
        while standing.kept:
            await asyncio.sleep(0.01)
