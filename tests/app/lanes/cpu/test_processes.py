"""Workers, the fork server and this process: who dies with whom, what is left behind, what is started again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

import psutil
import pytest

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from tests.app.lanes.cpu.conftest import LIMITS, RESOLVER, Judge, judge_with
from trueward.wire.verdict import Outcome

ROOT = Path(__file__).parents[4]


def fork_server() -> psutil.Process:
    return psutil.Process(forkserver._forkserver._forkserver_pid)  # type: ignore[attr-defined]


def workers() -> list[psutil.Process]:
    return fork_server().children()


async def until_all_alive(pool: Pool) -> None:
    async with asyncio.timeout(30):
        while pool.stats().alive < pool.stats().workers:
            await asyncio.sleep(0.01)


async def test_a_killed_idle_worker_costs_nothing(judge: Judge, pool: Pool) -> None:
    for victim in workers():
        victim.kill()
    verdicts = await asyncio.gather(*(judge("nothing", index) for index in range(50)))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.CORRECT] * 50
    await until_all_alive(pool)


async def test_workers_killed_at_work_cost_no_verdict(judge: Judge, pool: Pool) -> None:
    work = [asyncio.create_task(judge("sleep", 0.02)) for _ in range(100)]
    for _ in range(5):
        await asyncio.sleep(0.1)
        workers()[0].kill()
        await until_all_alive(pool)  # one that is killed twice with the same item at work takes that item along
    verdicts = await asyncio.gather(*work)
    assert [verdict.outcome for verdict in verdicts] == [Outcome.CORRECT] * 100
    assert pool.stats().restarts["crash"] >= 5


async def test_a_stopped_worker_is_replaced_and_its_items_run_elsewhere(impatient: Pool) -> None:
    for victim in workers():
        victim.suspend()
    judge = judge_with(impatient)
    verdicts = await asyncio.gather(*(judge("nothing", index) for index in range(10)))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.CORRECT] * 10
    assert impatient.stats().restarts["unresponsive"] == 2


async def test_a_killed_fork_server_is_started_again(judge: Judge, pool: Pool) -> None:
    before = fork_server()
    work = [asyncio.create_task(judge("sleep", 0.05)) for _ in range(20)]
    await asyncio.sleep(0.1)
    before.kill()
    verdicts = await asyncio.gather(*work)
    assert [verdict.outcome for verdict in verdicts] == [Outcome.CORRECT] * 20
    assert fork_server().pid != before.pid


async def test_without_any_worker_a_deadline_says_so() -> None:
    pool = Pool(workers=1, limits=LIMITS, resolver=RESOLVER, preload=("tests.app.lanes.cpu.no_such_module",))
    starting = asyncio.create_task(pool.start())
    try:
        verdict = await judge_with(pool)("nothing", within_s=1.0)
        assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "pool_down")
    finally:
        starting.cancel()
        await pool.stop()


async def test_workers_are_recycled() -> None:
    pool = Pool(workers=1, limits=LIMITS, resolver=RESOLVER, recycle_after=10)
    await pool.start()
    try:
        judge = judge_with(pool)
        pids = {(await judge("nothing")).evidence["pid"] for _ in range(35)}
        assert len(pids) == 4
        assert pool.stats().restarts["recycled"] == 3
    finally:
        await pool.stop()


async def test_workers_inherit_what_was_exercised_and_not_the_main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    # the main module of a test process need not have a file
    monkeypatch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
    pool = Pool(workers=1, limits=LIMITS, resolver=RESOLVER)
    await pool.start()
    try:
        judge = judge_with(pool)
        assert (await judge("modules", "math_verify")).evidence["found"] is True
        assert (await judge("main_file")).evidence["found"] is None
        assert vars(sys.modules["__main__"])["__file__"] == __file__
    finally:
        await pool.stop()


async def test_sixty_deaths_leak_nothing() -> None:
    pool = Pool(workers=2, limits=Limits(cpu_s=0.05, wall_s=20), resolver=RESOLVER)
    await pool.start()
    try:
        judge = judge_with(pool)
        await judge("exit", 1)
        await until_all_alive(pool)
        async with asyncio.timeout(10):
            while len(fork_server().children()) > 2:  # the worker that left is not yet reaped
                await asyncio.sleep(0.05)
        before = held()
        await asyncio.gather(*(judge("exit", 1) for _ in range(26)), *(judge("spin") for _ in range(8)))
        await until_all_alive(pool)
        assert sum(pool.stats().restarts.values()) >= 60
        async with asyncio.timeout(10):
            while any(now > then for now, then in zip(held(), before, strict=True)):
                await asyncio.sleep(0.05)
    finally:
        await pool.stop()
    assert workers() == []


def held() -> tuple[int, int, int]:
    """Descriptors of this process and of the fork server, and its children."""
    server = fork_server()
    return psutil.Process().num_fds(), server.num_fds(), len(server.children())


async def test_a_pool_stopped_leaves_no_descriptor_behind() -> None:
    async def once() -> int:
        pool = Pool(workers=2, limits=LIMITS, resolver=RESOLVER)
        await pool.start()
        await judge_with(pool)("nothing")
        await pool.stop()
        return psutil.Process().num_fds()

    first = await once()
    assert await once() == first


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    script = Path(__file__).with_name("doomed_server.py")
    command = [sys.executable, str(script), str(tmp_path / "imports")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as server:
        assert server.stdout is not None
        pids = server.stdout.readline().split()
        yield server, [psutil.Process(int(pid)) for pid in pids]
        server.kill()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_the_server(
    doomed: tuple[subprocess.Popen[str], list[psutil.Process]], tmp_path: Path, how: signal.Signals
) -> None:
    server, processes = doomed
    assert len(processes) == 4  # fork server, resource tracker, two workers
    assert (tmp_path / "imports").read_text() == "imported\n"
    server.send_signal(how)
    server.wait()
    end = time.monotonic() + 5
    while any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes):
        assert time.monotonic() < end, processes
        time.sleep(0.05)


async def test_throughput(judge: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    count = 2000
    await judge("nothing")
    start, start_cpu = time.perf_counter(), time.process_time()
    verdicts = await asyncio.gather(*(judge("nothing", index) for index in range(count)))
    wall_us, cpu_us = (
        (end - begin) / count * 1e6 for begin, end in ((start, time.perf_counter()), (start_cpu, time.process_time()))
    )
    with capsys.disabled():
        print(f"\ncpu lane, empty checks: {wall_us:.0f} us an item, {cpu_us:.0f} us of it the server's CPU")
    assert [verdict.evidence["found"] for verdict in verdicts] == list(range(count))
