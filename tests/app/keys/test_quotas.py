"""Quotas of keys: what fits when, who is held, and what is not charged."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from app.admission.gate import AdmissionGate
from app.admission.room import Room
from app.keys.quotas import KeyQuotas, LocalBuckets, QuotaClaim
from trueward.errors import Overloaded, QuotaExceeded
from trueward.wire.key import KeyView


class Clock:
    def __init__(self) -> None:
        self.s = 1000.0

    def __call__(self) -> float:
        return self.s


def samples(amount: float, per_minute: float = 60.0, bucket: str = "k") -> list[QuotaClaim]:
    return [QuotaClaim(bucket, amount, per_minute)]


def key(**quotas: float) -> KeyView:
    return KeyView(id="k", name="trainer", scopes=["score"], created_at=datetime.now(UTC), **quotas)


def quotas_of(view: KeyView | None, clock: Clock) -> KeyQuotas:
    async def find(key_id: str) -> KeyView | None:
        return view

    return KeyQuotas(find, LocalBuckets(clock))


async def test_a_minutes_quota_is_there_at_once_and_comes_back_steadily() -> None:
    clock = Clock()
    buckets = LocalBuckets(clock)
    assert await buckets.take(samples(60), 0) == 0
    assert await buckets.take(samples(1), 0) == pytest.approx(1)
    clock.s += 10
    assert await buckets.take(samples(11), 0) == pytest.approx(1)
    assert await buckets.take(samples(10), 0) == 0
    clock.s += 3600
    assert await buckets.take(samples(61, 60.0), 0) == 0
    assert await buckets.take(samples(1), 0) == pytest.approx(2)


async def test_more_than_a_minutes_quota_is_let_in_when_the_bucket_is_full_and_earned_afterwards() -> None:
    clock = Clock()
    buckets = LocalBuckets(clock)
    assert await buckets.take(samples(6), 0) == 0
    assert await buckets.take(samples(120), 0) == pytest.approx(6)
    clock.s += 6
    assert await buckets.take(samples(120), 0) == 0
    assert await buckets.take(samples(1), 0) == pytest.approx(61)


async def test_what_one_bucket_refuses_is_taken_from_none() -> None:
    buckets = LocalBuckets(Clock())
    both = [QuotaClaim("samples", 1, 60), QuotaClaim("cost", 50, 10)]
    assert await buckets.take(both, 0) == 0
    assert await buckets.take(both, 0) > 0
    assert await buckets.take([QuotaClaim("samples", 59, 60)], 0) == 0


async def test_full_buckets_are_forgotten() -> None:
    clock = Clock()
    buckets = LocalBuckets(clock)
    for number in range(5000):
        clock.s += 1
        await buckets.take([QuotaClaim(str(number), 1, 60)], 0)
    assert len(buckets) <= 1000


async def test_a_refusal_says_when_the_request_fits_and_charges_nothing() -> None:
    clock = Clock()
    quotas = quotas_of(key(samples_per_minute=60), clock)
    assert await quotas.charge("k", 50, 0.0, None) is not None
    for _ in range(3):
        with pytest.raises(QuotaExceeded, match="60 samples a minute") as refusal:
            await quotas.charge("k", 40, 0.0, None)
        assert refusal.value.retry_after_s == pytest.approx(30)
    clock.s += 30
    assert await quotas.charge("k", 40, 0.0, None) is not None


async def test_cost_counts_beside_samples() -> None:
    quotas = quotas_of(key(cost_per_minute=10), Clock())
    assert await quotas.charge("k", 1_000_000, 10.0, None) is not None
    with pytest.raises(QuotaExceeded, match="10 seconds of work a minute"):
        await quotas.charge("k", 1, 1.0, None)
    assert await quotas_of(None, Clock()).charge("k", 1, 1.0, None) is None
    assert await quotas_of(key(), Clock()).charge("k", 1, 1.0, None) is None


async def test_held_callers_are_let_in_when_it_fits_in_the_order_in_which_they_came() -> None:
    quotas = quotas_of(key(samples_per_minute=60_000), Clock())
    until = asyncio.get_running_loop().time() + 60
    await quotas.charge("k", 60_000, 0.0, None)
    order: list[int] = []

    async def held(number: int) -> None:
        await quotas.charge("k", 20, 0.0, until)
        order.append(number)

    await asyncio.gather(*(held(number) for number in range(5)))
    assert order == [0, 1, 2, 3, 4]


async def test_a_held_caller_whose_deadline_passes_is_refused_and_not_charged() -> None:
    clock = Clock()
    quotas = quotas_of(key(samples_per_minute=60), clock)
    await quotas.charge("k", 60, 0.0, None)
    with pytest.raises(QuotaExceeded):
        await quotas.charge("k", 30, 0.0, asyncio.get_running_loop().time() + 0.01)
    clock.s += 1
    assert await quotas.charge("k", 1, 0.0, None) is not None


async def test_a_held_caller_that_goes_away_has_its_quota_back() -> None:
    clock = Clock()
    quotas = quotas_of(key(samples_per_minute=60), clock)
    await quotas.charge("k", 60, 0.0, None)
    waiting = asyncio.create_task(quotas.charge("k", 30, 0.0, asyncio.get_running_loop().time() + 60))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    clock.s += 1
    assert await quotas.charge("k", 1, 0.0, None) is not None


async def test_what_finds_no_room_has_its_quota_back() -> None:
    room = Room(10)
    gate = AdmissionGate(room, quotas_of(key(samples_per_minute=10), Clock()))
    async with room.take(10):
        with pytest.raises(Overloaded):
            async with gate.enter("k", None, 10):
                pass
    async with gate.enter("k", None, 10):
        pass
    with pytest.raises(QuotaExceeded):
        async with gate.enter("k", None, 1):
            pass


async def test_what_is_owed_is_never_refused_and_earned_before_the_next() -> None:
    clock = Clock()
    quotas = quotas_of(key(samples_per_minute=60), clock)
    assert await quotas.charge("k", 60, 0.0, None) is not None
    owed = [await quotas.owe("k", 600, 0.0), await quotas.owe("k", 60, 0.0)]
    with pytest.raises(QuotaExceeded) as refusal:
        await quotas.charge("k", 1, 0.0, None)
    assert refusal.value.retry_after_s == pytest.approx(661)
    for taken in owed:
        assert taken is not None
        await taken.give_back()
    clock.s += 1
    assert await quotas.charge("k", 1, 0.0, None) is not None
