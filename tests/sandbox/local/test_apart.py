"""What a slot has for itself: files that nobody else can lock, ids that begin anew, figures that tell no load."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time

import pytest

from sandbox.base import Program, Status, run
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.sandbox.local.programs import QUICK, processes_named, python, said

pytestmark = pytest.mark.asyncio(loop_scope="module")

SYSINFO = """
import ctypes
c = ctypes.CDLL(None, use_errno=True)
def ask():
    told = (ctypes.c_long * 14)()
    return c.sysinfo(told), ctypes.get_errno(), list(told)
"""


async def test_a_program_cannot_lock_a_file_of_the_host(sandbox: LocalSandbox) -> None:
    name = f"lock{os.getpid()}"
    paths = ("/", "/usr", "/usr/bin/env", "/etc/passwd", "/etc/ld.so.cache", os.__file__)
    source = "import ctypes, fcntl, os, sys, time\n"
    source += f"for path in {paths}: fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX)\n"
    source += f"ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)\ntime.sleep(60)"
    locking = asyncio.create_task(python(sandbox, source))
    while not processes_named(name):
        assert not locking.done(), locking.result()
        await asyncio.sleep(0.01)
    for path in paths:
        opened = os.open(path, os.O_RDONLY)
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(opened)
    locking.cancel()
    await asyncio.gather(locking, return_exceptions=True)


async def test_locks_work_in_the_programs_own_places(sandbox: LocalSandbox) -> None:
    source = """
import fcntl, os, sqlite3
for place in ('.', '/tmp', '/dev/shm'):
    held = open(f'{place}/lock', 'w')
    fcntl.flock(held, fcntl.LOCK_EX)
    fcntl.lockf(held, fcntl.LOCK_EX)
    if os.fork() == 0:
        for lock in (fcntl.flock, fcntl.lockf):
            try: lock(open(f'{place}/lock', 'w'), fcntl.LOCK_EX | fcntl.LOCK_NB); print('no lock')
            except BlockingIOError: pass
        os._exit(0)
    os.wait()
    with sqlite3.connect(f'{place}/base.db') as base:
        base.execute('create table t (x)'); base.execute('insert into t values (1)')
    print(sqlite3.connect(f'{place}/base.db').execute('select * from t').fetchall())
"""
    assert await said(sandbox, source) == "[(1,)]\n[(1,)]\n[(1,)]"


async def test_devices_have_no_times_to_set(sandbox: LocalSandbox) -> None:
    source = "import os\nfor name in ('null', 'zero', 'full', 'random', 'urandom'):\n"
    source += "  try: os.utime(f'/dev/{name}'); print(name)\n  except OSError as refusal: print(refusal.errno)"
    assert set((await said(sandbox, source)).split()) == {"30"}


async def test_every_run_begins_with_the_same_process_id(sandbox: LocalSandbox) -> None:
    source = "import os\nprint(os.getpid())\nfor _ in range(50):\n    if os.fork() == 0: os._exit(0)\n    os.wait()\n"
    async with sandbox.open(Program("python", source), QUICK) as workspace:
        runs = [await workspace.run() for _ in range(5)]
    assert {execution.stdout for execution in runs} == {b"2\n"}


async def test_the_clock_of_the_slot_is_none(sandbox: LocalSandbox) -> None:
    source = "import os, time\nfor pid in (1, os.getpid()):\n    try: print(time.clock_gettime(~pid << 3 | 2) > 0)\n"
    source += "    except OSError as refusal: print(refusal.errno)"
    assert await said(sandbox, source) == "22\nTrue"


async def test_the_command_line_is_that_of_a_plain_interpreter(sandbox: LocalSandbox) -> None:
    source = "print(open('/proc/self/cmdline').read().rstrip(chr(0)).split(chr(0)))"
    assert await said(sandbox, source) == "['python3', '-I', 'solution.py']"


async def test_figures_of_the_machine_without_its_load(sandbox: LocalSandbox) -> None:
    source = SYSINFO + "import os\nresult, _, told = ask()\n"
    source += "print(result, told[1:4], told[4] == told[5], os.getloadavg())\nprint(told[4], told[0])"
    first, second = (await said(sandbox, source)).splitlines()
    assert first == "0 [0, 0, 0] True (0.0, 0.0, 0.0)"
    total, uptime_s = map(int, second.split())
    assert total == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert abs(uptime_s - time.clock_gettime(time.CLOCK_BOOTTIME)) < 60
    execution = await run(sandbox, Program("bash", "cat /proc/loadavg /proc/stat /proc/meminfo /proc/locks"), QUICK)
    assert execution.stdout == b""


@pytest.mark.parametrize(
    ("attack", "answer"),
    [
        ("print(c.sysinfo(None), ctypes.get_errno())", "-1 14"),
        ("print(c.sysinfo(ctypes.c_void_p(2**47)), ctypes.get_errno())", "-1 14"),
        ("c.prctl(4, 0, 0, 0, 0); print(*ask()[:2])", "-1 14"),  # one that nobody may look into
        (
            "import threading\nfor _ in range(8): threading.Thread(target=lambda: [ask() for _ in range(200)]).start()",
            "",
        ),
        ("import os\nfor _ in range(8):\n    if os.fork() == 0:\n        while True: ask()\nprint(1)", "1"),
    ],
)
async def test_asking_for_figures_harms_nobody(sandbox: LocalSandbox, attack: str, answer: str) -> None:
    assert await said(sandbox, SYSINFO + attack) == answer
    assert await said(sandbox, SYSINFO + "print(ask()[0])") == "0"


async def test_a_program_that_asks_without_end_is_ended_on_time(sandbox: LocalSandbox) -> None:
    execution = await python(sandbox, SYSINFO + "while True: ask()", limits=Limits(wall_s=1.0))
    assert execution.status is Status.TIME_LIMIT


async def test_streams_open_again_only_the_way_they_were(sandbox: LocalSandbox) -> None:
    source = "for number, mode in ((0, 'w'), (1, 'r'), (2, 'r')):\n    try: open(f'/proc/self/fd/{number}', mode)\n"
    source += "    except PermissionError: print(number)\n"
    source += "for number, mode in ((0, 'r'), (1, 'w'), (2, 'w')): open(f'/dev/fd/{number}', mode)"
    seen = (await said(sandbox, source)).split()
    assert seen == ["0", "1", "2"]


async def test_the_streams_of_a_pair_open_by_name(sandbox: LocalSandbox) -> None:
    first = "out = open('/dev/stdout', 'w'); print('ask', file=out, flush=True)\n"
    first += "open('got', 'w').write(open('/dev/stdin').readline())"
    second = (
        "said = open('/dev/stdin').readline().strip(); print(said + 'ed', file=open('/dev/stdout', 'w'), flush=True)"
    )
    one, _ = await sandbox.pair(Program("python", first, fetch=("got",)), Program("python", second), QUICK)
    assert one.files == {"got": b"asked\n"}


async def test_the_features_tell_what_slots_share(sandbox: LocalSandbox) -> None:
    features = {feature.name: feature for feature in await sandbox.features()}
    for name in ("separate files", "process ids", "load figures"):
        assert features[name].present == (not features[name].detail)
    separate = features["separate files"]
    assert separate.present or "/dev/null" in separate.detail
