"""The gate: the quota first, then room; what is refused is counted, and is not charged."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from app.admission.gate import AdmissionGate, NoQuotas, QuotaBill
from app.admission.room import Room
from trueward.errors import Overloaded, QuotaExceeded


@dataclass
class Till:
    """Quotas that note what was charged; ``failing`` is raised instead, and ``go`` is waited for."""

    failing: Exception | None = None
    go: asyncio.Event | None = None
    charged: list[tuple[str | None, int, float, float | None]] = field(default_factory=list)
    owed: list[tuple[str | None, int, float]] = field(default_factory=list)
    given_back: int = 0

    async def owe(self, owner: str | None, samples: int, cost_s: float) -> Till:
        self.owed.append((owner, samples, cost_s))
        return self

    async def charge(self, owner: str | None, samples: int, cost_s: float, hold_until: float | None) -> Till:
        if self.go is not None:
            await self.go.wait()
        if self.failing is not None:
            raise self.failing
        self.charged.append((owner, samples, cost_s, hold_until))
        return self

    async def give_back(self) -> None:
        await asyncio.sleep(0)
        self.given_back += 1


NOBODY = {Overloaded.code: 0, QuotaExceeded.code: 0}


def later() -> float:
    return asyncio.get_running_loop().time() + 60


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def visit(gate: AdmissionGate, samples: int, *, leave: asyncio.Event | None = None, held: bool = False) -> None:
    async with gate.enter("key", "project", samples, hold_until=later() if held else None):
        if leave is not None:
            await leave.wait()


async def test_whoever_is_let_in_has_room_until_he_leaves() -> None:
    till, room = Till(), Room(10)
    gate = AdmissionGate(room, till)
    async with gate.enter("key", "project", 4):
        assert room.taken == 4
    assert (room.taken, len(till.charged), till.given_back, gate.refused) == (0, 1, 0, NOBODY)


async def test_a_failure_inside_leaves_the_room_and_is_neither_a_refusal_nor_paid_back() -> None:
    till, room = Till(), Room(10)
    gate = AdmissionGate(room, till)
    for failure in (KeyError("x"), Overloaded("of another service"), asyncio.CancelledError()):
        with pytest.raises(type(failure)) as raised:
            async with gate.enter("key", "project", 4):
                raise failure
        assert raised.value is failure
    assert (room.taken, till.given_back, gate.refused) == (0, 0, NOBODY)


async def test_the_quota_is_asked_for_what_is_to_be_done_and_the_room_for_whom() -> None:
    projects: list[str | None] = []

    def weight(project: str | None) -> float:
        projects.append(project)
        return 1.0

    till, until = Till(), later()
    async with AdmissionGate(Room(10, weight), till).enter("key", "project", 4, 2.5, hold_until=until):
        assert till.charged == [("key", 4, 2.5, until)]
    assert projects == ["project"]


async def test_whoever_waits_for_his_quota_takes_up_no_room() -> None:
    till, room, leave = Till(go=asyncio.Event()), Room(4), asyncio.Event()
    assert till.go is not None
    waiting = asyncio.create_task(visit(AdmissionGate(room, till), 4, leave=leave))
    await turns()
    assert (room.taken, room.waiting) == (0, 0)
    till.go.set()
    await turns()
    assert room.taken == 4
    leave.set()
    await waiting


async def test_a_spent_quota_is_told_of_before_a_full_room() -> None:
    room = Room(4)
    gate = AdmissionGate(room, Till(failing=QuotaExceeded("spent", retry_after_s=5.0)))
    async with room.take(4):
        with pytest.raises(QuotaExceeded) as refusal:
            await visit(gate, 3)
        assert room.taken == 4
    assert refusal.value.retry_after_s == 5.0
    assert gate.refused == {**NOBODY, "quota_exceeded": 3}


async def test_what_finds_no_room_has_its_quota_back() -> None:
    till, room = Till(), Room(4)
    gate = AdmissionGate(room, till)
    async with room.take(4):
        for _ in range(2):
            with pytest.raises(Overloaded):
                await visit(gate, 3)
        assert room.taken == 4
    assert (len(till.charged), till.given_back) == (2, 2)
    assert gate.refused == {**NOBODY, "overloaded": 6}


async def test_a_held_caller_waits_for_room_and_keeps_what_it_was_charged() -> None:
    till, room = Till(), Room(4)
    gate = AdmissionGate(room, till)
    async with room.take(4):
        waiting = asyncio.create_task(visit(gate, 3, held=True))
        await turns()
        assert (room.waiting, len(till.charged)) == (1, 1)
    await waiting
    assert (room.taken, till.given_back, gate.refused) == (0, 0, NOBODY)


async def test_a_held_caller_for_whom_there_was_no_room_in_time_has_its_quota_back() -> None:
    till, room = Till(), Room(4)
    gate = AdmissionGate(room, till)
    async with room.take(4):
        with pytest.raises(Overloaded):
            async with gate.enter("key", "project", 3, hold_until=asyncio.get_running_loop().time()):
                pass
    assert (room.taken, room.waiting, till.given_back) == (0, 0, 1)
    assert gate.refused == {**NOBODY, "overloaded": 3}


async def test_whoever_goes_away_while_it_waits_for_room_has_its_quota_back_and_was_not_refused() -> None:
    till, room = Till(), Room(4)
    gate = AdmissionGate(room, till)
    async with room.take(4):
        waiting = asyncio.create_task(visit(gate, 3, held=True))
        await turns()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (room.taken, room.waiting, till.given_back) == (4, 0, 1)
    assert gate.refused == NOBODY


async def test_whoever_goes_away_while_it_waits_for_its_quota_was_neither_charged_nor_refused() -> None:
    till, room = Till(go=asyncio.Event()), Room(4)
    gate = AdmissionGate(room, till)
    waiting = asyncio.create_task(visit(gate, 3))
    await turns()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (till.charged, till.given_back, gate.refused) == ([], 0, NOBODY)


async def test_a_failure_of_the_quotas_is_no_refusal() -> None:
    room = Room(4)
    gate = AdmissionGate(room, Till(failing=OSError("the buckets are gone")))
    with pytest.raises(OSError, match="gone"):
        await visit(gate, 3)
    assert (room.taken, gate.refused) == (0, NOBODY)


async def test_without_quotas_everybody_may_use_what_he_likes_and_only_room_is_refused() -> None:
    room = Room(4)
    gate = AdmissionGate(room, NoQuotas())
    for _ in range(3):
        await visit(gate, 1_000_000)
    assert gate.refused == NOBODY
    async with room.take(4):
        with pytest.raises(Overloaded):
            await visit(gate, 1)
    assert (room.taken, gate.refused) == (0, {**NOBODY, "overloaded": 1})


async def test_a_request_in_rounds_is_let_in_once_and_owes_the_rest() -> None:
    till, bill = Till(), QuotaBill()
    gate = AdmissionGate(Room(10), till)
    for count in (4, 3, 2):
        async with gate.enter("key", "project", count, 0.5, bill=bill):
            pass
    assert till.charged == [("key", 4, 0.5, None)]
    assert till.owed == [("key", 3, 0.5), ("key", 2, 0.5)]
    await bill.give_back()
    assert till.given_back == 3
    await bill.give_back()
    assert till.given_back == 3


async def test_a_round_that_finds_no_room_is_not_charged_and_the_next_is_let_in_anew() -> None:
    till, room, bill = Till(), Room(10), QuotaBill()
    gate = AdmissionGate(room, till)
    async with room.take(10):
        with pytest.raises(Overloaded):
            async with gate.enter("key", "project", 4, bill=bill):
                pass
    assert (till.given_back, bill.charges) == (1, [])
    async with gate.enter("key", "project", 4, bill=bill):
        pass
    assert (len(till.charged), till.owed) == (2, [])


async def test_who_has_no_key_is_charged_nothing() -> None:
    till = Till()
    async with AdmissionGate(Room(10), till).enter(None, None, 4, 2.5):
        pass
    assert (till.charged, till.owed) == ([], [])
