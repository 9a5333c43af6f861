"""The limits hold, against programs that do their best: wall clock, CPU, memory, output, disk, processes, silence."""

from __future__ import annotations

from sandbox.base import Status
from sandbox.conformance.bench import Bench, brief, limits, probe
from sandbox.conformance.host import new_marker

_MIB = 2**20
_INODES = 65_536
"""The most files that one place may hold: a kernel without a bound runs out of memory for them."""


async def wall_clock(bench: Bench) -> None:
    """A program that hangs is ended on time, whatever signals it ignores, and its processes with it."""
    limit_s = bench.brief_s
    for how in ("sleep", "stdin", "spin", "children"):
        name = new_marker()
        stdin = b"x" * _MIB if how != "stdin" else b""
        run = bench.run(probe("hang"), how, name, stdin=stdin, limits=limits(wall_s=limit_s))
        execution, elapsed_s = await bench.time_run(run)
        if how == "stdin":  # its end comes at once, so that it goes on to spin
            bench.expect(execution.stdout == b"started\n", f"reading an empty input: {brief(execution)}")
        bench.expect_status(execution, Status.TIME_LIMIT, of=f"a program that hangs ({how})")
        used_s = execution.usage.wall_s
        bench.expect(used_s >= limit_s, f"it was ended after {used_s:.2f} s of {limit_s:g} s")
        bench.expect(elapsed_s <= limit_s + bench.grace_s, f"a limit of {limit_s:g} s took {elapsed_s:.2f} s ({how})")
        bench.expect(execution.stdout == b"started\n", f"output before the limit is lost ({how}): {brief(execution)}")
        await bench.expect_gone(name, of=f"a program that hangs ({how})")


async def cpu_time(bench: Bench) -> None:
    """CPU seconds of all processes of the program together."""
    execution = await bench.run(probe("hang"), "spin", new_marker(), limits=limits(cpu_s=1.0, wall_s=25.0))
    bench.expect_status(execution, Status.TIME_LIMIT, of="a program that spins, 1 s of CPU allowed")
    used_s = execution.usage.cpu_s  # not by the clock on the wall: on a busy host a second of CPU takes its time
    bench.expect(0.5 <= used_s <= 4.0, f"it was ended after {used_s:.2f} s of CPU, 1 s allowed")
    execution = await bench.run(probe("burn"), "0.25", "7", limits=limits(cpu_s=1.0, wall_s=25.0))
    bench.expect_status(execution, Status.TIME_LIMIT, of="1.75 s of CPU in children of 0.25 s, 1 s allowed")


async def memory(bench: Bench) -> None:
    """Memory of all processes together, shared memory too; a program within its limit is left alone."""
    for how in ("private", "shared", "children"):
        execution = await bench.run(probe("allocate"), how, "128")
        bench.expect(execution.stdout == b"held\n", f"128 MiB of 256 ({how}): {brief(execution)}")
        execution = await bench.run(probe("allocate"), how, "1024")
        bench.expect(b"held\n" not in execution.stdout, f"1024 MiB of 256 are held ({how})")
        refused = b"MemoryError" in execution.stderr or b"Cannot allocate" in execution.stderr or how == "children"
        allowed = (Status.MEMORY_LIMIT, Status.NONZERO_EXIT) if refused else (Status.MEMORY_LIMIT,)
        bench.expect_status(execution, *allowed, of=f"1024 MiB of 256 ({how})")
        bench.expect(execution.usage.peak_memory_bytes <= 320 * _MIB, f"its peak is {execution.usage} ({how})")


async def output(bench: Bench) -> None:
    """Output up to the limit is whole; one byte more is cut, flagged and ``output_limit``; a flood is ended."""
    source = (
        "import os, sys\nleft = int(sys.stdin.read())\nwhile left: left -= os.write(1, b'ab' * (left // 2) or b'c')"
    )
    async with bench.open(source) as workspace:
        whole = await workspace.run(str(_MIB).encode())
        bench.expect_status(whole, Status.FINISHED, of="output of just the limit")
        bench.expect(whole.stdout == b"ab" * (_MIB // 2), f"of {_MIB} bytes {len(whole.stdout)} came through")
        bench.expect(not whole.truncated, "output of just the limit is flagged as truncated")
        over = await workspace.run(str(_MIB + 1).encode())
        bench.expect_status(over, Status.OUTPUT_LIMIT, of="output of a byte over the limit")
        bench.expect(over.truncated, "output over the limit is not flagged as truncated")
        bench.expect(len(over.stdout) <= _MIB, f"{len(over.stdout)} bytes are kept of a limit of {_MIB}")
    for stream in ("stdout", "stderr"):
        flood, elapsed_s = await bench.time_run(bench.run(probe("flood"), stream))
        bench.expect_status(flood, Status.OUTPUT_LIMIT, of=f"a flood of {stream}")
        bench.expect(flood.truncated, f"a flood of {stream} is not flagged as truncated")
        kept = flood.stdout if stream == "stdout" else flood.stderr
        bench.expect(len(kept) <= _MIB, f"a flood of {stream}: {len(kept)} bytes are kept of {_MIB}")
        bench.expect((b"0123456789abcdef" * 65_536).startswith(kept), f"what is kept of {stream} is not its start")
        bench.expect(elapsed_s <= 5.0 + bench.grace_s, f"a flood of {stream} was ended after {elapsed_s:.1f} s")


async def disk(bench: Bench) -> None:
    """No place takes more than ``disk_bytes``, all of them not more than three times that."""
    written = await _places(bench, "fill_disk")
    for place, amount in written.items():
        bench.expect(amount <= 17 * _MIB, f"{place} takes {amount / _MIB:.0f} MiB of 16")
    total = sum(written.values())
    bench.expect(total <= 51 * _MIB, f"{total / _MIB:.0f} MiB of 16 altogether")
    bench.expect(max(written.values(), default=0) >= 8 * _MIB, f"not even 8 MiB of 16 can be written: {written}")


async def inodes(bench: Bench) -> None:
    """Empty files cost the kernel memory, so their number is bounded."""
    for place, made in (await _places(bench, "fill_inodes")).items():
        bench.expect(made <= _INODES, f"{place} takes {made} files, more than {_INODES}")


async def _places(bench: Bench, name: str) -> dict[str, int]:
    execution = await bench.run(probe(name), limits=limits(wall_s=20.0, cpu_s=20.0))
    if not bench.expect_status(execution, Status.FINISHED, of=name):
        return {}
    lines = (line.split(" ", 1) for line in execution.stdout.decode().splitlines())
    return {place: int(amount) for amount, place in lines}


async def processes(bench: Bench) -> None:
    """Processes and threads are counted together; as many as the limit says, less those of the runtime, can be had."""
    for kind in ("processes", "threads"):
        execution = await bench.run(probe("multiply"), kind, limits=limits(processes=16))
        if bench.expect_status(execution, Status.FINISHED, of=f"a program that makes {kind}"):
            made = int(execution.stdout)
            bench.expect(made <= 16, f"{made} {kind} beside the first, of 16")
            bench.expect(made >= 8, f"only {made} {kind} of 16")


async def fork_bomb(bench: Bench) -> None:
    """It ends with its run, leaves nothing, and the next run is as quick as ever."""
    name = new_marker()
    _, elapsed_s = await bench.time_run(bench.run(probe("fork_bomb"), name, limits=limits(wall_s=3.0)))
    bench.expect(elapsed_s <= 3.0 + bench.grace_s, f"a fork bomb of 3 s took {elapsed_s:.1f} s")
    await bench.expect_gone(name, of="a fork bomb")
    execution, elapsed_s = await bench.time_run(bench.run("print(1)"))
    bench.expect_status(execution, Status.FINISHED, of="the run after a fork bomb")
    bench.expect(elapsed_s <= 1.0 + bench.grace_s, f"the run after a fork bomb took {elapsed_s:.1f} s")


async def silence(bench: Bench) -> None:
    """``silence_s`` ends a program that writes nothing, and only such a one."""
    source = "import time\nprint('once', flush=True)\ntime.sleep(8)"
    execution, elapsed_s = await bench.time_run(bench.run(source, limits=limits(silence_s=0.5)))
    bench.expect_status(execution, Status.TIME_LIMIT, of="a program that is silent for 8 s of 0.5")
    bench.expect(elapsed_s <= 1.0 + bench.grace_s, f"0.5 s of silence took {elapsed_s:.1f} s")
    source = "import time\nfor n in range(6):\n    print(n, flush=True)\n    time.sleep(0.25)"
    allowed_s = bench.brief_s
    execution = await bench.run(source, limits=limits(silence_s=allowed_s))
    of = f"a program that writes every 0.25 s, {allowed_s:g} s of silence allowed"
    bench.expect_status(execution, Status.FINISHED, of=of)


CHECKS = (wall_clock, cpu_time, memory, output, disk, inodes, processes, fork_bomb, silence)
