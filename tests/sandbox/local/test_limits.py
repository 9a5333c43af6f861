"""Bombs go off inside: memory, processes, disk, files, and what they leave for the next run."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sandbox.base import Status
from sandbox.local import LocalSandbox
from tests.sandbox.local.programs import QUICK, python, said

pytestmark = pytest.mark.asyncio(loop_scope="module")
SMALL = replace(QUICK, memory_bytes=128 * 2**20, wall_s=5.0)


@pytest.mark.parametrize(
    "bomb",
    [
        "x = bytearray(2**30)",
        "x = []\nwhile True: x.append(bytearray(2**20))",
        "x = 'a'\nwhile True: x += x",
        "x = 1 << (2**34)",
    ],
)
async def test_one_process_is_held_to_the_memory_limit(any_sandbox: LocalSandbox, bomb: str) -> None:
    execution = await python(any_sandbox, bomb, limits=SMALL)
    assert execution.status is Status.MEMORY_LIMIT
    assert execution.usage.peak_memory_bytes < 220 * 2**20


async def test_many_processes_together_are_held_to_the_memory_limit(any_sandbox: LocalSandbox) -> None:
    bomb = (
        "import os, time\nfor _ in range(10):\n  if not os.fork():\n    x = bytearray(b'x') * (60 * 2**20)\n"
        "    time.sleep(30)\ntime.sleep(30)"
    )
    execution = await python(any_sandbox, bomb, limits=SMALL)
    assert execution.status is Status.MEMORY_LIMIT


async def test_a_caught_memory_error_leaves_the_verdict_to_the_program(sandbox: LocalSandbox) -> None:
    source = "try: x = bytearray(2**32)\nexcept MemoryError: print('caught')"
    assert await said(sandbox, source, limits=SMALL) == "caught"


async def test_threads_and_processes_are_counted(any_sandbox: LocalSandbox) -> None:
    source = (
        "import os, time\nn = 0\ntry:\n  while n < 500:\n    if not os.fork(): time.sleep(30)\n    n += 1\n"
        "except OSError: pass\nprint(n)"
    )
    assert 10 <= int(await said(any_sandbox, source)) <= 16


async def test_a_fork_bomb_is_over_with_its_run_and_hinders_no_other(any_sandbox: LocalSandbox) -> None:
    bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    honest = "import threading\nfor _ in range(8): threading.Thread(target=print).start()"
    bombed, *others = await asyncio.gather(
        python(any_sandbox, bomb, limits=replace(QUICK, wall_s=1.0)), *(python(any_sandbox, honest) for _ in range(3))
    )
    assert bombed.status is Status.TIME_LIMIT
    assert {other.status for other in others} == {Status.FINISHED}
    assert await said(any_sandbox, "print(1)") == "1"


async def test_disk_and_files_are_limited_and_gone_after_the_run(any_sandbox: LocalSandbox) -> None:
    fill = (
        "import os\nn = 0\ntry:\n  with open('{}/f', 'wb', 0) as f:\n    while True: n += f.write(bytes(2**16))\n"
        "except OSError as e: print(n >> 20, e.errno)"
    )
    many = "n = 0\ntry:\n  while True: open(f'{n}', 'w').close(); n += 1\nexcept OSError as e: print(n, e.errno)"
    for folder in (".", "/tmp", "/dev/shm"):
        written, _ = (await said(any_sandbox, fill.format(folder))).split()
        assert 7 <= int(written) <= 8
        made, _ = (await said(any_sandbox, many)).split()
        assert 1000 < int(made) < 10_000


async def test_many_open_files_are_refused(any_sandbox: LocalSandbox) -> None:
    source = "x = []\ntry:\n  while True: x.append(open('/dev/null'))\nexcept OSError: print(len(x) < 2000)"
    assert await said(any_sandbox, source) == "True"


async def test_deep_recursion_is_the_programs_own_crash(any_sandbox: LocalSandbox) -> None:
    source = "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return [f(n + 1)]\nf(0)"
    execution = await python(any_sandbox, source, limits=replace(SMALL, wall_s=8.0))
    assert execution.status in {Status.SIGNALLED, Status.MEMORY_LIMIT, Status.NONZERO_EXIT}


async def test_a_disk_full_of_files_ends_as_memory_and_never_as_our_failure(any_sandbox: LocalSandbox) -> None:
    source = "import os\nfor n in range(100):\n  with open(f'/tmp/{n}', 'wb') as f: f.write(b'x' * 2**20)\n"
    limits = replace(QUICK, memory_bytes=48 * 2**20, disk_bytes=200 * 2**20)
    for _ in range(3):
        execution = await python(any_sandbox, source, limits=limits)
        assert execution.status in {Status.MEMORY_LIMIT, Status.FINISHED}
    assert await said(any_sandbox, "print(1)") == "1"


async def test_usage_counts_children(sandbox: LocalSandbox) -> None:
    source = "import os, time\nif not os.fork():\n  x = b'x' * (60 * 2**20)\n  e = time.process_time() + 0.3\n"
    source += "  while time.process_time() < e: pass\n  os._exit(0)\nos.wait()"
    usage = (await python(sandbox, source)).usage
    assert 0.3 <= usage.cpu_s < 2.0
    assert usage.peak_memory_bytes > 60 * 2**20
    assert usage.wall_s > 0.25
