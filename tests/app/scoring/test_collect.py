"""Waiting for what is judged: all of a batch at once, or whatever is ready as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import cast

import pytest

from app.scoring.collect import Row, arrived, ready, tasks_of
from trueward.types import Verdict

YES, NO = Verdict.correct("yes"), Verdict.incorrect("no")


class Judge:
    """Says a verdict under a name when it is told to; ``given_up`` are those that nobody waits for any more."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[Verdict]] = {}
        self.given_up: list[str] = []

    def asked(self, name: str) -> asyncio.Task[Verdict]:
        self._answers[name] = asyncio.get_running_loop().create_future()
        return asyncio.create_task(self._said(name))

    async def _said(self, name: str) -> Verdict:
        try:
            return await self._answers[name]
        except asyncio.CancelledError:
            self.given_up.append(name)
            raise

    async def says(self, *names: str) -> None:
        for name in names:
            self._answers[name].set_result(YES)
        await turns()


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def following(*rows: Row, in_waves: bool) -> tuple[list[list[int]], asyncio.Task[None]]:
    """What is told, as it is told, and the task that listens, which has begun to."""
    told: list[list[int]] = []

    async def listen() -> None:
        nonlocal told
        async for indices in ready(rows, in_waves=in_waves):
            told += [indices]

    listening = asyncio.create_task(listen())
    await turns()
    return told, listening


@pytest.fixture
async def judge() -> Judge:
    return Judge()


async def test_what_was_said_of_a_sample_is_told_by_key(judge: Judge) -> None:
    waiting = judge.asked("math")
    row: Row = {"format": NO, "math": waiting}
    assert tasks_of(row) == [waiting]
    await judge.says("math")
    assert arrived(row) == {"format": NO, "math": YES}
    assert list(arrived(row)) == ["format", "math"]


async def test_a_task_may_end_with_all_that_is_said_of_a_sample() -> None:
    row: asyncio.Future[Mapping[str, Verdict]] = asyncio.get_running_loop().create_future()
    assert tasks_of(row) == [row]
    row.set_result({"math": YES, "math:1": NO})
    assert arrived(row) == {"math": YES, "math:1": NO}


def test_of_what_was_said_at_once_nothing_is_waited_for() -> None:
    assert tasks_of({"math": YES}) == []
    assert tasks_of({}) == []


@pytest.mark.parametrize("in_waves", [True, False])
async def test_what_is_ready_at_once_is_told_at_once(in_waves: bool) -> None:
    told, listening = await following({"": YES}, {}, {"": NO}, in_waves=in_waves)
    await listening
    assert told == [[0, 1, 2]]


@pytest.mark.parametrize("in_waves", [True, False])
async def test_of_no_samples_nothing_is_told(in_waves: bool) -> None:
    told, listening = await following(in_waves=in_waves)
    await listening
    assert told == []


async def test_in_waves_each_sample_is_told_when_all_is_said_of_it(judge: Judge) -> None:
    rows: list[Row] = [{"a": judge.asked("a"), "b": judge.asked("b")}, {"c": judge.asked("c")}, {"d": YES}]
    told, listening = await following(*rows, in_waves=True)
    assert told == [[2]]
    await judge.says("a")
    assert told == [[2]]
    await judge.says("c")
    assert told == [[2], [1]]
    await judge.says("b")
    assert told == [[2], [1], [0]]
    await listening


async def test_what_comes_together_is_told_together(judge: Judge) -> None:
    told, listening = await following(*({"": judge.asked(name)} for name in "abc"), in_waves=True)
    assert told == []
    await judge.says("c", "a")
    assert told == [[0, 2]]
    await judge.says("b")
    assert told == [[0, 2], [1]]
    await listening


async def test_what_came_while_nobody_listened_is_told_once(judge: Judge) -> None:
    rows: list[Row] = [{"": judge.asked(name)} for name in "abcd"]
    async with aclosing(cast("AsyncGenerator[list[int], None]", ready(rows, in_waves=True))) as waves:
        listening = asyncio.ensure_future(anext(waves))
        await turns()
        await judge.says("b")
        assert await listening == [1]
        await judge.says("d", "a", "c")
        assert sorted(index for wave in [wave async for wave in waves] for index in wave) == [0, 2, 3]


async def test_without_waves_all_is_told_at_the_end_in_the_order_of_the_request(judge: Judge) -> None:
    rows: Sequence[Row] = [{"": judge.asked("a")}, {"": NO}, {"": judge.asked("c")}]
    told, listening = await following(*rows, in_waves=False)
    await judge.says("c")
    assert told == []
    await judge.says("a")
    assert told == [[0, 1, 2]]
    await listening


@pytest.mark.parametrize("in_waves", [True, False])
async def test_when_the_caller_goes_away_what_is_still_open_is_given_up(judge: Judge, in_waves: bool) -> None:
    rows: list[Row] = [{"a": judge.asked("a"), "b": judge.asked("b")}, {"c": judge.asked("c")}]
    told, listening = await following(*rows, in_waves=in_waves)
    await judge.says("a", "c")
    assert told == ([[1]] if in_waves else [])
    listening.cancel()
    await turns()
    assert listening.cancelled()
    assert judge.given_up == ["b"]


async def test_a_caller_that_stops_listening_gives_up_the_rest(judge: Judge) -> None:
    rows: list[Row] = [{"": judge.asked("a")}, {"": judge.asked("b")}]
    async with aclosing(cast("AsyncGenerator[list[int], None]", ready(rows, in_waves=True))) as waves:
        listening = asyncio.ensure_future(anext(waves))
        await turns()
        await judge.says("a")
        assert await listening == [0]
    await turns()
    assert judge.given_up == ["b"]
    assert arrived(rows[0]) == {"": YES}


async def test_what_is_ready_while_nobody_listens_is_told_without_waiting_for_another(judge: Judge) -> None:
    rows: list[Row] = [{"a": NO}, {"b": judge.asked("b")}, {"c": judge.asked("c")}]
    async with aclosing(cast(AsyncGenerator[list[int]], ready(rows, in_waves=True))) as waves:
        assert await anext(waves) == [0]
        await judge.says("b")
        assert await asyncio.wait_for(anext(waves), 10) == [1]
