"""Waiting for a worker: deadlines, room, order, chunks, and what a neighbour's hang costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.lanes.cpu.pool import Pool
from app.lanes.cpu.queue import CHUNK_ITEMS, QueuedTask, TaskQueue
from tests.app.lanes.cpu.conftest import LIMITS, RESOLVER, Judge, judge_with
from trueward.wire.verdict import Outcome, Verdict

NO_TIME = (Outcome.TIMEOUT, None, "deadline")
NO_ROOM = (Outcome.TIMEOUT, None, "queue_full")


def said(verdict: Verdict) -> tuple[Outcome, float | None, str]:
    return verdict.outcome, verdict.score, verdict.reason_code


@pytest.fixture
async def narrow() -> AsyncIterator[Pool]:
    """One worker, room for two items."""
    pool = Pool(workers=1, limits=LIMITS, resolver=RESOLVER, capacity=2)
    await pool.start()
    yield pool
    await pool.stop()


async def settled(pool: Pool) -> None:
    """Until no worker is busy."""
    async with asyncio.timeout(30):
        while pool.stats().busy or pool.stats().alive < pool.stats().workers:
            await asyncio.sleep(0.01)


async def test_a_deadline_while_running_answers_at_once_and_frees_the_slot(narrow: Pool) -> None:
    judge, loop = judge_with(narrow), asyncio.get_running_loop()
    start = loop.time()
    assert said(await judge("sleep", 1.0, within_s=0.2)) == NO_TIME
    assert loop.time() - start < 0.9
    assert (await judge("nothing")).outcome is Outcome.CORRECT
    assert narrow.stats().restarts["crash"] == 0


async def test_an_item_whose_callers_have_left_gives_its_worker_back_before_any_limit(narrow: Pool) -> None:
    """Its wall-clock limit is 20 s."""
    left = asyncio.create_task(judge_with(narrow)("sleep", 30.0))
    await asyncio.sleep(0.2)
    left.cancel()
    await settled(narrow)
    assert narrow.stats().restarts["abandoned"] == 1


async def test_an_item_whose_deadline_passes_in_the_queue_never_runs(narrow: Pool, tmp_path: Path) -> None:
    judge, log = judge_with(narrow), tmp_path / "log"
    blocker = asyncio.create_task(judge("sleep", 0.6))
    await asyncio.sleep(0.1)
    assert said(await judge("nothing", log=str(log), within_s=0.1)) == NO_TIME
    assert narrow.stats().waiting == 0
    await blocker
    await judge("nothing")
    assert not log.exists()


async def test_a_cancelled_item_never_runs(narrow: Pool, tmp_path: Path) -> None:
    judge, log = judge_with(narrow), tmp_path / "log"
    blocker = asyncio.create_task(judge("sleep", 0.5))
    await asyncio.sleep(0.1)
    waiting = asyncio.create_task(judge("nothing", log=str(log)))
    await asyncio.sleep(0.1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert narrow.stats().waiting == 0
    await blocker
    await judge("nothing")
    assert not log.exists()


async def test_a_deadline_that_has_passed_already_never_runs(narrow: Pool, tmp_path: Path) -> None:
    judge, log = judge_with(narrow), tmp_path / "log"
    assert said(await judge("nothing", log=str(log), within_s=-1)) == NO_TIME
    await judge("nothing")
    assert not log.exists()


async def test_a_full_queue_is_waited_for_and_told_apart(narrow: Pool) -> None:
    judge = judge_with(narrow)
    inside = [asyncio.create_task(judge("sleep", 0.4)) for _ in range(2)]
    await asyncio.sleep(0.1)
    refused, admitted = await asyncio.gather(judge("nothing", within_s=0.1), judge("nothing"))
    assert said(refused) == NO_ROOM
    assert admitted.outcome is Outcome.CORRECT
    assert [verdict.outcome for verdict in await asyncio.gather(*inside)] == [Outcome.CORRECT] * 2


async def test_a_hang_costs_its_neighbours_nothing(judge: Judge, pool: Pool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    await asyncio.gather(*(judge("nothing") for _ in range(200)))
    work = [judge("spin") if index == 40 else judge("nothing", index, log=str(log)) for index in range(80)]
    verdicts = await asyncio.gather(*work)
    assert verdicts.pop(40).reason_code == "resource_limit"
    assert [verdict.evidence["found"] for verdict in verdicts] == [index for index in range(80) if index != 40]
    assert len(log.read_text().splitlines()) == 79
    assert pool.stats().restarts["cpu_limit"] == 1


async def test_items_behind_a_long_one_go_to_another_worker(judge: Judge) -> None:
    loop = asyncio.get_running_loop()
    await asyncio.gather(*(judge("nothing") for _ in range(200)))

    async def timed(what: str, argument: float | None) -> float:
        await judge(what, argument)
        return loop.time() - start

    start = loop.time()
    long, *others = await asyncio.gather(timed("sleep", 1.4), *(timed("nothing", None) for _ in range(20)))
    assert max(others) < long


async def test_a_crash_in_a_chunk_leaves_the_others_their_verdicts(judge: Judge, pool: Pool) -> None:
    await asyncio.gather(*(judge("nothing") for _ in range(200)))
    work = [judge("exit", 1) if index % 10 == 5 else judge("nothing", index) for index in range(60)]
    verdicts = await asyncio.gather(*work)
    for index, verdict in enumerate(verdicts):
        assert verdict.reason_code == ("worker_crashed" if index % 10 == 5 else "fine")
    assert pool.stats().restarts["crash"] == 12


async def test_stopping_ends_what_waits_and_what_runs() -> None:
    pool = Pool(workers=1, limits=LIMITS, resolver=RESOLVER, capacity=2)
    await pool.start()
    judge = judge_with(pool)
    work = [asyncio.create_task(judge("sleep")) for _ in range(4)]
    await asyncio.sleep(0.2)
    await pool.stop()
    verdicts = await asyncio.gather(*work, judge("nothing"))
    assert [said(verdict) for verdict in verdicts] == [(Outcome.ERROR, None, "shutdown")] * 5
    assert pool.stats().alive == 0


async def test_statistics_say_what_goes_on(narrow: Pool) -> None:
    judge = judge_with(narrow)
    await judge("nothing")
    before = narrow.stats()
    work = [asyncio.create_task(judge("sleep", 1.0)) for _ in range(2)]
    await asyncio.sleep(0.5)
    during = narrow.stats()
    await asyncio.gather(*work)
    assert (before.alive, before.busy, before.waiting, before.done) == (1, 0, 0, 1)
    assert (during.alive, during.busy, during.waiting, during.done) == (1, 1, 1, 1)
    assert narrow.stats().done == 3


def items(count: int) -> list[QueuedTask]:
    loop = asyncio.get_running_loop()
    return [QueuedTask(b"", loop.create_future()) for _ in range(count)]


async def test_what_comes_back_goes_to_the_front_in_its_order() -> None:
    queue, (a, b, c, d) = TaskQueue(1), items(4)
    for item in (a, b, c, d):
        queue.append(item)
    queue.learn(1.0)
    assert queue.take(fresh=False) == [a]
    assert queue.take(fresh=False) == [b]
    queue.put_back([a, b])
    assert list(queue) == [a, b, c, d]


async def test_chunks_are_fair_shares_of_little_work() -> None:
    queue = TaskQueue(2)
    for item in items(1000):
        queue.append(item)
    for _ in range(200):
        queue.learn(1e-5)
    assert len(queue.take(fresh=False)) == CHUNK_ITEMS
    for _ in range(200):
        queue.learn(0.1)
    assert len(queue.take(fresh=False)) == 1


async def test_a_suspect_runs_alone_and_only_in_a_fresh_worker() -> None:
    queue, (suspect, other) = TaskQueue(1), items(2)
    queue.append(other)
    queue.suspect(suspect)
    assert queue.take(fresh=False) == [other]
    assert queue.take(fresh=False) == []
    assert queue.take(fresh=True) == [suspect]
