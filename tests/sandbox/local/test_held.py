"""A program is charged its own time: what a busy or a sleeping host kept from it is no doing of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Execution, Program, Status
from sandbox.local import LocalSandbox
from tests.sandbox.local.programs import QUICK, processes_named, python

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.quiet]
LIMITS = replace(QUICK, wall_s=1.0, cpu_s=10.0)
WORKS = "import time\nwhile time.process_time() < {0}: pass\nprint(7, flush=True)\n"
NAMED = "import ctypes; ctypes.CDLL(None).prctl(15, b'{0}', 0, 0, 0)\n"


@pytest.fixture
def crowd() -> Iterator[None]:
    """Two busy processes for each core."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    yield
    for process in busy:
        process.kill()
        process.wait()


async def appeared(name: str) -> int:
    """The process of that name, once there is one."""
    while not (found := processes_named(name)):
        await asyncio.sleep(0.01)
    return found[0]


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])


@pytest.mark.usefixtures("crowd")
async def test_what_a_busy_host_keeps_from_a_program_is_not_charged(any_sandbox: LocalSandbox) -> None:
    execution = await python(any_sandbox, WORKS.format(0.8), limits=LIMITS)
    assert (execution.status, execution.stdout) == (Status.FINISHED, b"7\n")
    assert execution.usage.held_s > 0
    assert execution.usage.wall_s < 1.0 + 0.1


@pytest.mark.usefixtures("crowd")
async def test_a_program_that_never_ends_is_ended_on_a_busy_host_too(sandbox: LocalSandbox) -> None:
    execution = await python(sandbox, "while True: pass", limits=LIMITS)
    assert execution.status is Status.TIME_LIMIT
    assert execution.usage.cpu_s > 0.8 * LIMITS.wall_s


@pytest.mark.usefixtures("crowd")
async def test_the_first_of_a_pair_waits_for_a_second_that_the_host_keeps(sandbox: LocalSandbox) -> None:
    first, second = await sandbox.pair(
        Program("python", "import sys; sys.exit(input() != '7')"), Program("python", WORKS.format(0.8)), LIMITS
    )
    assert (first.status, second.status) == (Status.FINISHED, Status.FINISHED)


@pytest.mark.usefixtures("crowd")
async def test_silence_counts_while_a_program_could_run(sandbox: LocalSandbox) -> None:
    limits = replace(LIMITS, wall_s=20.0, silence_s=1.0)
    assert (await python(sandbox, WORKS.format(0.8), limits=limits)).status is Status.FINISHED
    assert (await python(sandbox, "while True: pass", limits=limits)).status is Status.TIME_LIMIT


CROWDS_ITSELF = """
import os, time
for _ in range(40):
    if not os.fork():
        while True:
            time.sleep(0.2 - time.time() % 0.2)
            until = time.process_time() + 0.001
            while time.process_time() < until: pass
time.sleep(60)
"""


async def test_a_program_that_sleeps_is_not_credited_with_the_crowds_that_it_makes(sandbox: LocalSandbox) -> None:
    execution = await python(sandbox, CROWDS_ITSELF, limits=replace(LIMITS, processes=64))
    assert execution.status is Status.TIME_LIMIT
    assert execution.usage.held_s <= LIMITS.wall_s


OWN_DOING = {
    "it sleeps": "time.sleep(60)",
    "it waits for itself": "threading.Lock().acquire() and threading.Event().wait()",
    "it reads what nobody writes": "os.read(os.pipe()[0], 1)",
    "its many processes are in each other's way": "[os.fork() for _ in range(3)]\nwhile True: pass",
    "processes that it does not wait for are in its way": (
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True:\n  try:\n    if not os.fork():\n"
        "      until = time.monotonic() + 0.05\n      while time.monotonic() < until: pass\n      os._exit(0)\n"
        "  except OSError: pass"
    ),
    "it is less urgent by its own will": "os.nice(19)\nwhile True: pass",
    "it keeps to one core": "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass",
    "it stops itself again and again": "while True: os.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.mark.parametrize("source", OWN_DOING.values(), ids=OWN_DOING)
@pytest.mark.usefixtures("crowd")
async def test_what_a_program_keeps_from_itself_is_charged(sandbox: LocalSandbox, source: str) -> None:
    execution = await python(sandbox, f"import os, signal, threading, time\n{source}", limits=LIMITS)
    assert execution.status is Status.TIME_LIMIT
    assert execution.usage.held_s < 10 * LIMITS.wall_s


@pytest.mark.parametrize("whole", [False, True], ids=["the program", "the jail"])
async def test_a_signal_that_stops_it_from_outside_costs_it_nothing(sandbox: LocalSandbox, whole: bool) -> None:
    name = f"h{uuid.uuid4().hex[:10]}"
    running = asyncio.ensure_future(python(sandbox, NAMED.format(name) + WORKS.format(0.5), limits=LIMITS))
    pid = await appeared(name)
    stopped = [pid, parent(pid)] if whole else [pid]
    for process in reversed(stopped):
        os.kill(process, signal.SIGSTOP)
    await asyncio.wait([running], timeout=2.5 * LIMITS.wall_s)
    for process in stopped:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)
    execution: Execution = await running
    assert (execution.status, execution.stdout) == (Status.FINISHED, b"7\n")
