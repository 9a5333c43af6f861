"""Work apart: what it gives, what ends it, and that it never takes the service with it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.base import SandboxFailure
from tests.verifiers.apart import work
from verifiers.apart import Told, WorkFailed, pool, run_apart

ROOT = Path(__file__).parents[3]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def pid_at_work() -> int:
    [pid] = (await run_apart(work.own_process, cpu_s=5)).values
    assert isinstance(pid, int)
    return pid


async def test_what_it_yields_is_told_in_order_and_the_process_serves_again() -> None:
    told = await run_apart(work.own_process, *range(300), cpu_s=5)
    assert told.whole
    assert told.values[1:] == list(range(300))
    assert told.values[0] == await pid_at_work() != os.getpid()


@pytest.mark.parametrize("function", [work.endless, work.growing, work.aborting])
async def test_what_exhausts_or_kills_the_process_is_told_as_far_as_it_went(function: Callable[..., Any]) -> None:
    told = await run_apart(function, cpu_s=1)
    assert not told.whole
    assert told.values == ([] if function is work.aborting else [1])
    assert await pid_at_work()


async def test_nesting_without_end_is_exhaustion() -> None:
    assert await run_apart(work.deep, cpu_s=5) == Told([], False, 5)


async def test_a_process_that_died_by_chance_costs_no_work(tmp_path: Path) -> None:
    assert (await run_apart(work.aborting_once, str(tmp_path / "mark"), cpu_s=5)).values == [1]
    os.kill(await pid_at_work(), signal.SIGKILL)
    assert (await run_apart(work.own_process, 7, cpu_s=5)).values[1:] == [7]


async def test_a_bug_is_raised_and_no_exhaustion() -> None:
    with pytest.raises(WorkFailed, match="ValueError: a bug of ours"):
        await run_apart(work.failing, cpu_s=5)


async def test_a_process_that_cannot_begin_is_a_failure_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_BOOT", "import sys; sys.exit(3)")
    monkeypatch.setattr(pool, "_idle", [])
    with pytest.raises(SandboxFailure, match="ended when it began"):
        await run_apart(work.own_process, cpu_s=5)


async def test_the_loop_serves_others_while_it_works() -> None:
    working = asyncio.create_task(run_apart(work.endless, cpu_s=1))
    turns = 0
    while not working.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 50
    assert not (await working).whole


async def test_a_caller_that_gives_up_ends_the_process() -> None:
    pid = await pid_at_work()
    working = asyncio.create_task(run_apart(work.endless, cpu_s=60))
    await asyncio.sleep(0.2)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert not alive(pid)


def test_another_event_loop_may_use_the_same_process() -> None:
    assert asyncio.run(pid_at_work()) == asyncio.run(pid_at_work())


SERVICE = """
import asyncio, signal
from tests.verifiers.apart import work
from verifiers.apart import run_apart

async def main():
    [pid] = (await run_apart(work.own_process, cpu_s=5)).values
    working = asyncio.create_task(run_apart(work.endless, cpu_s=600))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    print(pid, flush=True)
    await working

asyncio.run(main())
"""


def test_a_service_that_is_told_to_stop_in_the_middle_of_work_stops() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", SERVICE], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as service:
        assert service.stdout is not None
        pid = int(service.stdout.readline())
        service.terminate()
        service.wait(60)  # were it a thread that works, it would be ten minutes
    assert not alive(pid)
