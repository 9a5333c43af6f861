"""Two programs that talk to each other, each in a jail of its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import perf_counter

import pytest

from sandbox.base import Program, Status
from sandbox.local import LocalSandbox
from tests.sandbox.local.programs import QUICK, python

pytestmark = pytest.mark.asyncio(loop_scope="module")
ASKS = "import sys\nprint(6, 7, flush=True)\nsys.exit(0 if input() == '42' else 1)\n"
ANSWERS = "a, b = map(int, input().split())\nprint(a * b, flush=True)\n"


async def test_each_reads_what_the_other_writes(sandbox: LocalSandbox) -> None:
    first, second = await sandbox.pair(Program("python", ASKS), Program("python", ANSWERS), QUICK)
    assert (first.status, second.status) == (Status.FINISHED, Status.FINISHED)
    assert (first.stdout, second.stdout) == (b"", b"")


async def test_the_second_is_stopped_a_moment_after_the_first(sandbox: LocalSandbox) -> None:
    before = perf_counter()
    first, second = await sandbox.pair(
        Program("python", "pass"), Program("python", "import time; time.sleep(60)"), QUICK
    )
    assert (first.status, second.status) == (Status.FINISHED, Status.STOPPED)
    assert perf_counter() - before < QUICK.wall_s / 2


async def test_the_first_goes_on_when_the_second_ends(sandbox: LocalSandbox) -> None:
    first, second = await sandbox.pair(
        Program("python", "import sys\nsys.stderr.write(repr(sys.stdin.read()))"),
        Program("python", "print('x')"),
        QUICK,
    )
    assert (first.status, first.stderr, second.status) == (Status.FINISHED, b"'x\\n'", Status.FINISHED)


async def test_files_of_the_first_come_back_and_the_second_never_sees_them(sandbox: LocalSandbox) -> None:
    writes = "open('results.json', 'w').write('secret')\nprint('go', flush=True)\ninput()\n"
    looks = "import os, sys\ninput()\nfor f in os.walk('/box'): sys.stderr.write(str(f))\nprint('done', flush=True)\n"
    first, second = await sandbox.pair(
        Program("python", writes, fetch=("results.json",)), Program("python", looks), QUICK
    )
    assert first.files == {"results.json": b"secret"}
    assert b"solution.py" in second.stderr
    assert b"results.json" not in second.stderr


async def test_neither_can_signal_the_other(sandbox: LocalSandbox) -> None:
    kills = "import os\nfor n in {*range(2, 3000)} - {os.getpid()}:\n  try: os.kill(n, 9)\n  except OSError: pass\n"
    kills += "try: os.kill(-1, 9)\nexcept OSError: pass\nprint('tried', flush=True)\n"
    first, _ = await sandbox.pair(Program("python", "assert input() == 'tried'"), Program("python", kills), QUICK)
    assert first.status is Status.FINISHED


async def test_many_pairs_and_single_runs_at_once_never_lock_up(sandbox: LocalSandbox) -> None:
    async with asyncio.timeout(60):
        pairs = [sandbox.pair(Program("python", ASKS), Program("python", ANSWERS), QUICK) for _ in range(8)]
        results = await asyncio.gather(*pairs, *(python(sandbox, "print(1)") for _ in range(16)))
    assert len(results) == 24


async def test_one_worker_is_enough_for_a_pair() -> None:
    sandbox = LocalSandbox(workers=1)
    try:
        async with asyncio.timeout(30):
            first, second = await sandbox.pair(Program("python", ASKS), Program("python", ANSWERS), QUICK)
        assert (first.status, second.status) == (Status.FINISHED, Status.FINISHED)
    finally:
        await sandbox.close()


@pytest.mark.parametrize("broken", [0, 1])
async def test_one_that_does_not_compile_ends_the_pair(sandbox: LocalSandbox, broken: int) -> None:
    programs = [Program("python", "input()"), Program("python", "input()")]
    programs[broken] = Program("c", "int main( {")
    executions = await sandbox.pair(programs[0], programs[1], replace(QUICK, wall_s=2.0))
    assert executions[broken].status is Status.COMPILE_ERROR
    assert executions[1 - broken].status is Status.STOPPED
