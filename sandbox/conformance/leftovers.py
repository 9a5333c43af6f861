"""Every run starts fresh and leaves nothing: no file, process, shared memory, key or socket meets another run."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from sandbox.base import Program, Status
from sandbox.base import run as run_once
from sandbox.conformance.bench import LIMITS, Bench, brief, limits, probe
from sandbox.conformance.host import files_named, new_marker

_FILES = {"given.txt": b"as given", "folder/given.txt": b"as given"}


async def fresh_start(bench: Bench) -> None:
    """Runs of one workspace, and of another, meet nothing that an earlier run left or changed."""
    name = new_marker()
    leave, find = bench.open(probe("leave"), name, "0", files=_FILES), bench.open(probe("find"), name, files=_FILES)
    async with leave as leaving, find as finding:
        for _ in range(4):  # as many as there may be jails to meet
            left = await leaving.run()
            bench.expect(left.stdout == b"ready\n", f"leave: {brief(left)}")
            bench.heed(await finding.run(), "find")
    source = "import os, pathlib\nprint(pathlib.Path('given.txt').read_text(), sorted(os.listdir()))\n"
    source += "pathlib.Path('given.txt').write_text('changed'); pathlib.Path('new').touch()\n"
    source += "pathlib.Path('/tmp/new').exists() and print('/tmp/new'); pathlib.Path('/tmp/new').touch()\n"
    async with bench.open(source, files=_FILES) as workspace:
        first, second = await workspace.run(), await workspace.run()
    bench.expect(first.stdout.startswith(b"as given ["), f"a file as it was given: {brief(first)}")
    bench.expect(first.stdout == second.stdout, f"the second run sees {second.stdout!r}, the first {first.stdout!r}")


async def side_by_side(bench: Bench) -> None:
    """Runs at the same time neither see nor reach each other."""
    name = new_marker()
    staying = asyncio.create_task(bench.run(probe("leave"), name, "2.0", limits=limits(wall_s=8.0)))
    await asyncio.sleep(0.8)
    async with bench.open(probe("find"), name) as finding:
        for execution in await asyncio.gather(*(finding.run() for _ in range(3))):
            bench.heed(execution, "find")
    await staying


async def shared_files(bench: Bench) -> None:
    """A lock, lease, watch or time on a file that all runs can open, or a socket's name, reaches no other run."""
    await _claimed(bench, "files")


async def shared_devices(bench: Bench) -> None:
    """The same of ``/dev/null`` and the other devices."""
    await _claimed(bench, "devices")


async def _claimed(bench: Bench, kind: str) -> None:
    claiming = asyncio.create_task(bench.run(probe("claim"), kind, "3.0", limits=limits(wall_s=10.0)))
    await asyncio.sleep(1.2)
    bench.heed(await bench.run(probe("claimed"), kind), "claimed")
    bench.heed(await claiming, "claim")


async def process_ids(bench: Bench) -> None:
    """The process ids of a program do not tell how many processes others had before."""
    many = "import os\nprint(os.getpid())\nfor _ in range(200):\n    if os.fork() == 0: os._exit(0)\n    os.wait()\n"
    ids = [int((await bench.run(many)).stdout) for _ in range(4)]
    bench.expect(max(ids) - min(ids) < 100, f"programs with 200 processes each had the ids {ids}, one after another")


async def no_mixing(bench: Bench) -> None:
    """Many runs at once get their own input and output, and the event loop stays free meanwhile."""
    ticks = [asyncio.get_running_loop().time()]

    async def tick() -> None:
        while True:
            await asyncio.sleep(0.02)
            ticks.append(asyncio.get_running_loop().time())

    clock = asyncio.create_task(tick())
    source = "import sys, time\ntext = sys.stdin.read()\ntime.sleep(0.2)\nprint(text * 1000, end='')"
    async with bench.open(source) as workspace:
        inputs = [f"<{n}>" for n in range(8)]
        executions = await asyncio.gather(*(workspace.run(text.encode()) for text in inputs))
    clock.cancel()
    ticks.append(asyncio.get_running_loop().time())
    for text, execution in zip(inputs, executions, strict=True):
        bench.expect(execution.stdout == text.encode() * 1000, f"{text} at the same time: {brief(execution)}")
    longest_s = max(after - before for before, after in pairwise(ticks))
    bench.expect(longest_s < 0.5 + bench.grace_s, f"the event loop stood still for {longest_s:.2f} s")


async def daemons(bench: Bench) -> None:
    """A process that wants to outlive its run does not, and does not keep the run from ending."""
    for _ in range(2):
        name = new_marker()
        execution, elapsed_s = await bench.time_run(bench.run(probe("daemon"), name))
        bench.expect_status(execution, Status.FINISHED, of="a program that leaves a daemon")
        bench.expect(elapsed_s <= 2.0 + bench.grace_s, f"a daemon held its run up for {elapsed_s:.1f} s")
        await bench.expect_gone(name, of="a program that leaves a daemon")


async def cancelled_runs(bench: Bench) -> None:
    """A caller that gives up leaves nothing running, and the sandbox works on."""
    name = new_marker()
    running = asyncio.create_task(bench.run(probe("hang"), "children", name))
    await bench.until_seen(name, running, count=5)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    await asyncio.sleep(bench.grace_s)
    await bench.expect_gone(name, of="a cancelled run")
    after = await bench.run("print('alive')")
    bench.expect(after.stdout == b"alive\n", f"after a cancelled run: {brief(after)}")


async def closing(bench: Bench) -> None:
    """Opening and closing a sandbox leaves no file, process or descriptor behind."""
    before: set[int] = set()
    for cycle in range(2):  # the first may load what stays loaded
        name = new_marker()
        sandbox = bench.make()
        source = f"import pathlib; pathlib.Path('other').write_text({name!r})"
        program = Program("python", source, files={name: b"x"}, fetch=(name, "other"))
        await run_once(sandbox, program, LIMITS)
        await sandbox.close()
        after = _descriptors()
        if cycle == 1:
            bench.expect(len(after) <= len(before), f"{len(after) - len(before)} descriptor(s) stay open after close")
        before = after
        bench.expect(not files_named(name), f"files are left after close: {files_named(name)}")


def _descriptors() -> set[int]:
    return {int(entry.name) for entry in Path("/proc/self/fd").glob("*")}


CHECKS = (
    fresh_start,
    side_by_side,
    shared_files,
    shared_devices,
    process_ids,
    no_mixing,
    daemons,
    cancelled_runs,
    closing,
)
