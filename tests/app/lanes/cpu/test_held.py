"""On a crowded processor the wall clock of an item is its own: what the host gave to others is not the response's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.lanes.cpu.ending import Cause, Ending, judge
from app.lanes.cpu.limits import read_held_seconds
from app.lanes.cpu.pool import Pool
from app.lanes.cpu.progress import Stage
from tests.app.lanes.cpu.conftest import WALL_LIMITS, judge_with
from tests.app.lanes.cpu.test_processes import fork_server, workers
from trueward.wire.verdict import Outcome

pytestmark = pytest.mark.quiet
OTHERS = 5
WORK_S = 0.9
"""CPU seconds: beside others that never rest that takes more wall clock than it may have (twice as long at the least,
where the kernel gives each session the same share)."""


@contextmanager
def crowded() -> Iterator[None]:
    """The workers share one processor with others that never rest."""
    processor = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, [{processor}])\nprint(flush=True)\nwhile True: pass"
    server, usual = fork_server(), os.sched_getaffinity(0)
    others = [subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE) for _ in range(OTHERS)]
    try:
        for other in others:
            assert other.stdout is not None
            other.stdout.readline()
        for process in (server, *workers()):
            process.cpu_affinity([processor])
        yield
    finally:
        for other in others:
            other.kill()
            other.communicate()
        server.cpu_affinity(list(usual))


async def test_a_crowded_host_makes_no_honest_response_invalid(impatient: Pool) -> None:
    with crowded():
        verdict = await judge_with(impatient)("work", WORK_S)
        assert verdict.outcome is Outcome.CORRECT, verdict
        assert verdict.elapsed_s > 1.5 * WALL_LIMITS.wall_s  # else nobody was in its way


async def test_a_response_that_sleeps_is_held_by_nobody(impatient: Pool) -> None:
    with crowded():
        verdict = await judge_with(impatient)("sleep")
    assert verdict.reason_code == "resource_limit"


def test_who_was_starved_twice_is_not_charged() -> None:
    ending = Ending(Cause.WALL, Stage.CHECK, cpu_s=0.1, wall_s=66.0, starved=True)
    assert judge(ending, set()) is None
    verdict = judge(ending, {Cause.WALL})
    assert verdict is not None
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "worker_starved")
    reading = Ending(Cause.WALL, Stage.PREPARE, cpu_s=0.1, wall_s=66.0, starved=True)
    assert judge(reading, set()) is None


def test_a_process_that_is_gone_was_held_by_nobody() -> None:
    assert read_held_seconds(2**22) == 0.0
    assert read_held_seconds(os.getpid()) >= 0.0
