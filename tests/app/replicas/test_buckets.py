"""Quotas that replicas grant together."""

from __future__ import annotations

import asyncio

from app.keys.quotas import LocalBuckets, QuotaClaim
from app.replicas.buckets import SharedBuckets
from app.replicas.link import RedisLink
from tests.app.replicas.conftest import Linked


async def two(linked: Linked) -> tuple[RedisLink, SharedBuckets, SharedBuckets]:
    one, other = await linked(), await linked()
    return one, SharedBuckets(one, LocalBuckets()), SharedBuckets(other, LocalBuckets())


def samples(link: RedisLink, amount: float, per_minute: float = 600.0) -> QuotaClaim:
    return QuotaClaim(f"{link.name} samples", amount, per_minute)


async def test_two_replicas_grant_one_quota(linked: Linked) -> None:
    link, one, other = await two(linked)
    claim = [samples(link, 10, 6.0 * 100)]
    taken = await asyncio.gather(*(buckets.take(claim, 0.0) for buckets in (one, other) * 50))
    # a bucket of 600, and what it earned meanwhile: 10 a second
    granted = sum(wait_s == 0.0 for wait_s in taken)
    assert 60 <= granted < 100


async def test_what_does_not_fit_says_when_it_will_and_takes_nothing(linked: Linked) -> None:
    link, one, other = await two(linked)
    assert await one.take([samples(link, 600)], 0.0) == 0.0
    waits = [await other.take([samples(link, 60)], 0.0) for _ in range(3)]
    assert all(5.0 < wait_s <= 6.0 for wait_s in waits)


async def test_who_may_wait_takes_his_turn_beforehand(linked: Linked) -> None:
    link, one, other = await two(linked)
    await one.take([samples(link, 600)], 0.0)
    waits = [await buckets.take([samples(link, 10)], 30.0) for buckets in (one, other, one)]
    assert waits == sorted(waits)
    assert 2.0 < waits[2] <= 3.0


async def test_what_is_owed_is_taken_whatever_the_bucket_has(linked: Linked) -> None:
    link, one, other = await two(linked)
    await one.take([samples(link, 600)], 0.0)
    await other.take([samples(link, 1200)], 1e9)
    assert 179.0 < await one.take([samples(link, 600)], 0.0) <= 180.2


async def test_more_than_a_bucket_fits_where_it_is_full(linked: Linked) -> None:
    link, one, other = await two(linked)
    assert await one.take([samples(link, 1200)], 0.0) == 0.0
    assert 59.0 < await other.take([samples(link, 1)], 0.0) <= 60.2


async def test_nothing_is_taken_from_one_bucket_where_another_refuses(linked: Linked) -> None:
    link, one, other = await two(linked)
    cost = QuotaClaim(f"{link.name} cost", 60.0, 60.0)
    await one.take([cost], 0.0)
    assert await other.take([samples(link, 600), cost], 0.0) > 0
    assert await other.take([samples(link, 600)], 0.0) == 0.0


async def test_what_is_given_back_can_be_taken_again(linked: Linked) -> None:
    link, one, other = await two(linked)
    claim = [samples(link, 600)]
    await one.take(claim, 0.0)
    await other.give_back(claim)
    assert await other.take(claim, 0.0) == 0.0


async def test_a_replica_says_what_one_alone_would(linked: Linked) -> None:
    link, one, _ = await two(linked)
    clock = asyncio.get_running_loop().time
    alone = LocalBuckets(clock)
    for amount, within_s in ((100, 0.0), (400, 0.0), (300, 0.0), (300, 30.0), (50, 0.0), (900, 120.0), (1, 5.0)):
        claim = [samples(link, amount)]
        assert abs(await one.take(claim, within_s) - await alone.take(claim, within_s)) < 1.0


async def test_without_redis_a_replica_counts_by_itself(linked: Linked) -> None:
    link, one, _ = await two(linked)
    link.fail(OSError("gone"))
    assert await one.take([samples(link, 600)], 0.0) == 0.0
    assert await one.take([samples(link, 600)], 0.0) > 0
    await one.give_back([samples(link, 600)])
    assert await one.take([samples(link, 600)], 0.0) == 0.0


async def test_what_is_no_number_counts_as_a_full_bucket(linked: Linked) -> None:
    link, one, _ = await two(linked)
    await link.ask("SET", link.key("bucket", link.name, "samples"), "no number")
    assert await one.take([samples(link, 600)], 0.0) == 0.0
