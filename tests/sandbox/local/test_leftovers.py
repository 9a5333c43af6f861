"""Nothing is left behind: by programs, by runs that are cancelled, by a service that is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Program, SandboxFailure, run
from sandbox.local import LocalSandbox, pool
from tests.sandbox.local.programs import QUICK, descriptors, gone, processes_named, python, said, servers

DAEMON = """
import os, signal, time, ctypes
def rename(): ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)
for n in {{*range(1, 32)}} - {{signal.SIGCHLD}}:
    try: signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError): pass
if not os.fork():
    os.setsid()
    if not os.fork():
        rename()
        time.sleep(60)
    os._exit(0)
os.wait()
print('left', flush=True)
"""


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    """One for each test: what is done to it here is not done to others."""
    made = LocalSandbox()
    yield made
    await made.close()


def marker() -> str:
    """A process name that nobody else has; 15 characters at most."""
    return "tw" + uuid.uuid4().hex[:10]


def groups() -> set[Path]:
    return {folder for folder in Path("/sys/fs/cgroup").rglob(f"trueward-{os.getpid()}-*") if folder.is_dir()}


def mounts() -> list[str]:
    """All but the Docker engine's, which come and go with other tests' containers."""
    lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "/docker" not in line]


async def test_daemons_end_with_their_run(sandbox: LocalSandbox) -> None:
    name = marker()
    assert await said(sandbox, DAEMON.format(name=name)) == "left"
    assert processes_named(name) == []


async def test_closing_leaves_no_process_descriptor_mount_or_group() -> None:
    before = (descriptors(), mounts(), groups())
    sandbox = LocalSandbox()
    for source in ("print(1)", "1/0", DAEMON.format(name=marker()), "while True: pass"):
        await python(sandbox, source, limits=replace(QUICK, wall_s=0.3))
    await run(sandbox, Program("c", "int main(void) { return 0; }"), QUICK)
    await sandbox.pair(Program("python", "pass", fetch=("x",)), Program("python", "pass"), QUICK)
    assert servers(os.getpid())
    await sandbox.close()
    assert not servers(os.getpid())
    assert (descriptors(), mounts(), groups()) == before


async def test_descriptors_stay_level_over_many_runs(sandbox: LocalSandbox) -> None:
    await asyncio.gather(*(python(sandbox, "print(1)") for _ in range(4)))
    before = descriptors()
    await asyncio.gather(*(python(sandbox, "print(1)") for _ in range(60)))
    assert descriptors() == before


async def test_slots_that_nobody_needs_are_ended_and_made_again(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "IDLE_S", 0.2)
    monkeypatch.setattr(pool, "_cores", lambda: 1)

    def held() -> tuple[int, int, int]:
        [server] = servers(os.getpid())
        slots = sum(len(list(folder.glob("slot-*"))) for folder in groups())
        return descriptors(), len(servers(server)), slots

    await sandbox.pair(Program("python", ""), Program("python", ""), QUICK)
    both = held()
    one = await settled(held, both)
    assert await said(sandbox, "print(1)") == "1"
    assert held() == one, "a slot for each core stays"
    await sandbox.pair(Program("python", ""), Program("python", ""), QUICK)
    assert held() == both
    assert await settled(held, both) == one


async def settled(held: Callable[[], tuple[int, int, int]], before: tuple[int, int, int]) -> tuple[int, int, int]:
    """What is held once all of it is less than before."""
    async with asyncio.timeout(30.0):
        while not all(now < then for now, then in zip(held(), before, strict=True) if then):
            await asyncio.sleep(0.05)
    return held()


async def test_a_cancelled_run_is_ended_and_its_slot_goes_on(sandbox: LocalSandbox) -> None:
    name = marker()
    rename = f"import ctypes, time; ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0); time.sleep(60)"
    for _ in range(4):
        task = asyncio.create_task(python(sandbox, rename, limits=replace(QUICK, wall_s=60)))
        while not processes_named(name):
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await gone(name)
    assert await said(sandbox, "print(1)") == "1"


async def test_cancelling_at_any_moment_leaks_nothing(sandbox: LocalSandbox) -> None:
    pairs = [sandbox.pair(Program("python", ""), Program("python", ""), QUICK) for _ in range(2)]
    await asyncio.gather(*pairs)  # as many slots as there will ever be
    before = descriptors()
    for delay in range(30):
        programs: list[asyncio.Task[object]] = [asyncio.create_task(python(sandbox, "print(1)"))]
        pair = sandbox.pair(Program("python", "input()"), Program("python", "input()"), QUICK)
        programs.append(asyncio.create_task(pair))
        await asyncio.sleep(delay * 0.0007)
        for task in programs:
            task.cancel()
        await asyncio.gather(*programs, return_exceptions=True)
    assert await asyncio.gather(*(said(sandbox, "print(1)") for _ in range(4))) == ["1"] * 4
    assert descriptors() == before


async def test_a_killed_server_is_our_failure_and_the_next_run_works(sandbox: LocalSandbox) -> None:
    await python(sandbox, "pass")
    running = [asyncio.create_task(python(sandbox, "import time; time.sleep(30)")) for _ in range(2)]
    await asyncio.sleep(0.3)
    [server] = servers(os.getpid())
    os.kill(server, signal.SIGKILL)
    for failed in await asyncio.gather(*running, return_exceptions=True):
        assert isinstance(failed, SandboxFailure)
    assert await said(sandbox, "print(1)") == "1"


async def test_a_server_killed_while_idle_goes_unnoticed(sandbox: LocalSandbox) -> None:
    await python(sandbox, "pass")
    [server] = servers(os.getpid())
    os.kill(server, signal.SIGKILL)
    await asyncio.sleep(0.3)
    assert await said(sandbox, "print(1)") == "1"


async def test_everything_ends_with_a_service_that_is_killed() -> None:
    name = marker()
    service = (
        "import asyncio, sys\nfrom sandbox.base import *\nfrom sandbox.local import LocalSandbox\n"
        f"source = 'import ctypes, time; ctypes.CDLL(None).prctl(15, b\"{name}\", 0, 0, 0); time.sleep(60)'\n"
        "asyncio.run(run(LocalSandbox(), Program('python', source), Limits(wall_s=60)))\n"
    )
    process = subprocess.Popen(  # noqa: ASYNC220 - returns after the exec
        [sys.executable, "-c", service], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    try:
        for _ in range(500):
            if processes_named(name):
                break
            await asyncio.sleep(0.02)
        [server] = servers(process.pid)
        slots = servers(server)
        assert slots
    finally:
        process.kill()
        process.wait()
    assert await gone(name, [server, *slots], within_s=1.0)


async def test_groups_of_a_killed_service_are_swept_by_the_next(sandbox: LocalSandbox) -> None:
    await python(sandbox, "pass")
    for folder in groups():
        dead = folder.with_name("trueward-999999999-1")
        dead.mkdir()
        (dead / "slot-1").mkdir()
        other = LocalSandbox()
        try:
            await python(other, "pass")
            assert not dead.exists()
        finally:
            await other.close()


async def test_a_closed_sandbox_fails(sandbox: LocalSandbox) -> None:
    await sandbox.close()
    with pytest.raises(SandboxFailure, match="closed"):
        await python(sandbox, "pass")


async def test_a_host_below_the_floor_is_refused_with_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandbox.local import cgroup

    monkeypatch.setattr(cgroup, "find", lambda: cgroup.NONE)
    sandbox = LocalSandbox(floor=["memory groups"])
    try:
        with pytest.raises(SandboxFailure, match="memory groups"):
            await python(sandbox, "pass")
        lacking = {feature.name: feature.detail for feature in await sandbox.features() if not feature.present}
        assert "delegate the memory" in lacking["memory groups"]
    finally:
        await sandbox.close()


async def test_a_kernel_that_refuses_namespaces_is_refused() -> None:
    """Behind a limit of zero user namespaces nothing is run, and the reason is told."""
    program = (
        "import asyncio\nfrom sandbox.base import *\nfrom sandbox.local import LocalSandbox\n"
        "async def main():\n  s = LocalSandbox()\n"
        "  try: print(await run(s, Program('python', 'print(1)'), Limits()))\n"
        "  except SandboxFailure as e: print('refused:', e)\n"
        "  print([f for f in await s.features() if not f.present])\n  await s.close()\nasyncio.run(main())\n"
    )
    command = ["unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "_"]
    done = subprocess.run(  # noqa: ASYNC221 - nothing else runs on this loop
        [*command, sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert "refused: " in done.stdout, done
    assert "max_user_namespaces" in done.stdout or "namespaces" in done.stdout


async def test_a_missing_python_is_our_failure() -> None:
    sandbox = LocalSandbox(python="/nonexistent/python3")
    with pytest.raises(SandboxFailure, match="cannot be started"):
        await python(sandbox, "pass")
    await sandbox.close()


async def test_the_next_run_after_every_kind_of_bomb_is_right(sandbox: LocalSandbox) -> None:
    bombs = [
        "import os\nwhile True: os.fork()",
        "x = bytearray(10**10)",
        "import os\nwhile True: os.write(1, b'x' * 9999)",
        "import os; os.kill(-1, 9)",
        "import os\nfor n in range(3, 300):\n  try: os.close(n)\n  except OSError: pass\nos._exit(120)",
        "import sys; sys.stdout = None; sys.modules.clear(); del __builtins__",
    ]
    for bomb in bombs:
        await python(sandbox, bomb, limits=replace(QUICK, wall_s=0.5))
        assert [*await asyncio.gather(said(sandbox, "print(1)"), said(sandbox, "print(2)"))] == ["1", "2"]
