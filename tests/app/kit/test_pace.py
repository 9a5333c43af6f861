"""Turns at the event loop: a round does no more than a piece, and nobody waits for longer than those before."""

from __future__ import annotations

import asyncio
import time

import pytest

from app.kit.pace import LoopPace

PIECE_S = 0.002


@pytest.fixture
def pace() -> LoopPace:
    return LoopPace(PIECE_S)


def work() -> None:
    """Uses up a piece."""
    end = time.perf_counter() + PIECE_S
    while time.perf_counter() < end:
        pass


async def rounds(pace: LoopPace, done: list[int], name: int, pieces: int) -> None:
    for _ in range(pieces):
        await pace.turn()
        work()
        done.append(name)


async def test_of_many_that_work_one_does_so_in_a_round_and_who_came_first_is_first(
    pace: LoopPace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.kit.pace.BACK", 0.0)
    done: list[int] = []
    workers = []
    for name in range(20):
        workers.append(asyncio.create_task(rounds(pace, done, name, 3)))
        await asyncio.sleep(0)
    longest = 0
    while not all(worker.done() for worker in workers):
        before = len(done)
        await asyncio.sleep(0)
        longest = max(longest, len(done) - before)
    assert longest <= 2  # who was first and had time left, and whose turn came
    assert list(dict.fromkeys(reversed(done))) == list(reversed(range(20)))
    assert pace.waiting == 0


async def test_a_single_piece_does_not_wait_for_hundreds_that_came_before(pace: LoopPace) -> None:
    done: list[int] = []
    many = asyncio.create_task(rounds(pace, done, 0, 300))
    await asyncio.sleep(0.1)
    before = len(done)
    await rounds(pace, done, 1, 1)
    assert len(done) - before < 100
    many.cancel()


async def test_what_many_wait_for_goes_ahead(pace: LoopPace) -> None:
    done: list[int] = []
    workers = [asyncio.create_task(rounds(pace, done, name, 5)) for name in range(20)]
    await asyncio.sleep(3 * PIECE_S)
    before = len(done)
    await pace.turn(ahead=True)
    assert len(done) - before <= 2
    for worker in workers:
        worker.cancel()


async def test_the_tasks_of_a_request_stand_where_it_stands(pace: LoopPace) -> None:
    done: list[int] = []

    async def request() -> None:
        await pace.turn()
        await asyncio.gather(*(rounds(pace, done, 0, 20) for _ in range(5)))

    many = asyncio.create_task(request())
    await asyncio.sleep(0.06)
    before = len(done)
    await rounds(pace, done, 1, 1)
    assert len(done) - before < 60
    many.cancel()


async def test_whoever_works_alone_and_shortly_does_not_wait(pace: LoopPace) -> None:
    turns = asyncio.create_task(asyncio.sleep(0))
    for _ in range(3):
        await pace.turn()
    assert not turns.done()
    await turns


async def test_whoever_goes_away_keeps_nobody_waiting(pace: LoopPace) -> None:
    done: list[int] = []
    first = asyncio.create_task(rounds(pace, done, 0, 1))
    gone = [asyncio.create_task(rounds(pace, done, name, 1)) for name in (1, 2)]
    last = asyncio.create_task(rounds(pace, done, 3, 1))
    await asyncio.sleep(0)
    for one in gone:
        one.cancel()
    await asyncio.wait_for(asyncio.gather(first, last), 5)
    assert done == [0, 3]


async def test_a_clock_in_the_loop_rings_between_pieces(pace: LoopPace) -> None:
    done: list[int] = []
    workers = [asyncio.create_task(rounds(pace, done, name, 20)) for name in range(20)]
    await asyncio.sleep(PIECE_S)
    assert 0 < len(done) < 100  # of 400
    for worker in workers:
        worker.cancel()
