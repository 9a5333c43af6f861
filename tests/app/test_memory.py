"""Memory goes back to the system after a burst, and not in the middle of one."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import memory
from app.admission.loop_queue import LoopQueue
from app.lanes.cpu.limits import resident_bytes
from app.memory import YOUNG, YOUNG_TIMES, MemoryTrimmer, set_up_collector
from tests.walk import service

MIB = 2**20


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LOOK_S", 0.05)


def free_bytes_in_the_heap() -> None:
    """Leaves 200 MiB free that glibc keeps: small pieces, with one at their end that is in use."""
    pieces = [bytearray(100_000) for _ in range(2000)]
    LAST.append(bytearray(100_000))
    pieces.clear()


LAST: list[bytearray] = []


async def test_what_a_burst_took_goes_back_when_it_is_over_and_not_before() -> None:
    busy = [True]
    async with MemoryTrimmer(lambda: bool(busy)):
        await asyncio.sleep(0.2)
        before = resident_bytes(os.getpid())
        free_bytes_in_the_heap()
        await asyncio.sleep(0.3)
        assert resident_bytes(os.getpid()) - before > 100 * MIB
        busy.clear()
        await asyncio.sleep(0.5)
        assert resident_bytes(os.getpid()) - before < 20 * MIB


async def test_the_service_is_not_busy_while_its_requests_wait_for_a_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a slow judge there is always some request, and what is free would never go back."""
    told: list[Callable[[], bool]] = []
    lines: list[LoopQueue] = []

    class Told(MemoryTrimmer):
        def __init__(self, busy: Callable[[], bool]) -> None:
            super().__init__(busy)
            told.append(busy)

    class Line(LoopQueue):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            lines.append(self)

    monkeypatch.setattr("app.main.MemoryTrimmer", Told)
    monkeypatch.setattr("app.path.path.LoopQueue", Line)
    async with service(tmp_path):
        [busy], [line] = told, lines
        assert not busy()
        turn = await line.take(None, "/v1/verify", 100)
        assert busy()
        turn.pause()
        assert not busy()
        turn.resume()
        assert busy()
        turn.leave()
        assert not busy()


def test_a_collection_looks_through_few_objects_however_many_wait() -> None:
    before, looked_through = gc.get_threshold(), list[int]()

    def look(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            looked_through.append(sum(len(gc.get_objects(young)) for young in range(info["generation"] + 1)))

    set_up_collector()
    gc.callbacks.append(look)
    try:
        waiting = [[number] for number in range(200_000)]
    finally:
        gc.callbacks.remove(look)
        gc.set_threshold(*before)
        gc.unfreeze()
    assert len(waiting) == 200_000
    assert looked_through
    assert max(looked_through) <= 1.1 * YOUNG * (YOUNG_TIMES + 2)
