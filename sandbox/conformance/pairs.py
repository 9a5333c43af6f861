"""Two programs against each other: an exchange, its ends, its limits, and nothing else between them."""

from __future__ import annotations

import asyncio

from sandbox.base import Execution, Program, Status
from sandbox.conformance.bench import LIMITS, Bench, brief, limits, probe
from sandbox.conformance.host import new_marker
from sandbox.limits import Limits

_ASKS = """
import sys
for n in range(50):
    print(n, flush=True)
    assert sys.stdin.readline() == f"{n * n}\\n"
print("asked all", file=sys.stderr)
"""
_ANSWERS = """
import sys
for line in sys.stdin:
    print(int(line) ** 2, flush=True)
print("end of input", file=sys.stderr)
"""


async def _pair(
    bench: Bench, first: str, second: str, bounds: Limits = LIMITS, arguments: tuple[str, ...] = ()
) -> tuple[Execution, Execution]:
    return await bench.sandbox.pair(
        Program("python", first, arguments=arguments), Program("python", second, arguments=arguments), bounds
    )


async def dialogue(bench: Bench) -> None:
    """Output of each is input of the other; the end of the first is the end of the second's input."""
    first, second = await _pair(bench, _ASKS, _ANSWERS)
    bench.expect_status(first, Status.FINISHED, of="the one that asks")
    bench.expect_status(second, Status.FINISHED, of="the one that answers")
    bench.expect(first.stderr == b"asked all\n", f"standard error of the first: {brief(first)}")
    bench.expect(second.stderr == b"end of input\n", f"standard error of the second: {brief(second)}")
    bench.expect(not first.stdout and not second.stdout, "what they said to each other is kept")


async def first_ends(bench: Bench) -> None:
    """The second is stopped a moment after the first has ended, and that is not its own doing."""
    loop = asyncio.get_running_loop()
    start_s = loop.time()
    first, second = await _pair(bench, "print('bye')", "import time\ntime.sleep(60)")
    elapsed_s = loop.time() - start_s
    bench.expect_status(first, Status.FINISHED, of="a first that ends at once")
    bench.expect_status(second, Status.STOPPED, of="a second that hangs after the first has ended")
    bench.expect(elapsed_s <= 4.0 + bench.grace_s, f"it was stopped after {elapsed_s:.1f} s")


async def second_ends(bench: Bench) -> None:
    """The first reads the end of its input and goes on to its own end; how the second ended is told."""
    asks = "import sys\ntext = sys.stdin.read()\nprint(repr(text), file=sys.stderr)\n"
    for source, status, code in (
        ("print('last', flush=True)", Status.FINISHED, 0),
        ("print('last', flush=True); raise SystemExit(5)", Status.NONZERO_EXIT, 5),
        ("print('last', flush=True)\nimport os; os.kill(os.getpid(), 11)", Status.SIGNALLED, None),
    ):
        first, second = await _pair(bench, asks, source)
        bench.expect_status(first, Status.FINISHED, of="a first that outlives the second")
        bench.expect(first.stderr == b"'last\\n'\n", f"it reads {first.stderr!r}")
        bench.expect_status(second, status, of="a second that ends by itself")
        bench.expect(code is None or second.exit_code == code, f"its exit code is {second.exit_code}, not {code}")


async def nobody_listens(bench: Bench) -> None:
    """What a first writes to a second that has ended is lost: no error, no wait, whichever was faster."""
    asks = "import sys, time\ntime.sleep({wait_s})\nfor n in range(10**5): print('x' * 100)\nsys.stdout.flush()\n"
    asks += "print(repr(sys.stdin.read()), file=sys.stderr)\n"
    for wait_s in (0.0, 0.5):
        first, _ = await _pair(bench, asks.format(wait_s=wait_s), "print(5)")
        bench.expect_status(first, Status.FINISHED, of="a first that writes 10 MB to one that has ended")
        bench.expect(first.stderr == b"'5\\n'\n", f"and then reads what it had said: {brief(first)}")


async def pair_limits(bench: Bench) -> None:
    """Each is held to the limits, but those of output and silence, for nobody need see what they say."""
    waits = "import sys\nsys.stdin.read(1)"
    first, second = await _pair(bench, waits, waits, limits(wall_s=1.0))
    ended = (first.status, second.status)  # the end of one may free the other
    waited = Status.TIME_LIMIT in ended and set(ended) <= {Status.TIME_LIMIT, Status.STOPPED, Status.FINISHED}
    bench.expect(waited, f"two that wait for each other: {brief(first)}; {brief(second)}")
    flood = "import os\nwhile True: os.write(1, b'x' * 65536)"
    drains = "import sys\nwhile sys.stdin.buffer.read(2**16): pass"
    first, second = await _pair(bench, drains, flood, limits(wall_s=2.0))
    bench.expect_status(first, Status.FINISHED, Status.TIME_LIMIT, of="a first that is flooded")
    bench.expect(second.status is not Status.FINISHED, f"a second that floods it: {brief(second)}")
    hungry, _ = await _pair(bench, probe("allocate"), "import sys; sys.stdin.read()", LIMITS, ("private", "1024"))
    bench.expect_status(hungry, Status.MEMORY_LIMIT, Status.NONZERO_EXIT, of="a first that takes 1024 MiB of 256")


async def pair_isolation(bench: Bench) -> None:
    """The second sees nothing of the first but its output: no file, process, shared memory, key or socket."""
    name = new_marker()
    find = "import sys, time\nsys.stdout = sys.stderr\ntime.sleep(1.0)\n" + probe("find")
    first, second = await _pair(bench, probe("leave"), find, LIMITS, (name, "2.5"))
    bench.expect_status(first, Status.FINISHED, of="a first that leaves its name")
    *found, end = second.stderr.decode(errors="replace").splitlines() or [""]
    bench.expect(end == "end", f"a second that looks for it: {brief(second)}")
    for line in found:
        bench.fault(line[:200])


async def broken_pairs(bench: Bench) -> None:
    """One that cannot be compiled or parsed is told as such, and the other is not left alone with it."""
    first, second = await _pair(bench, "import sys; sys.stdin.read()", "def f(:")
    bench.expect_status(first, Status.FINISHED, of="a first whose second does not parse")
    bench.expect_status(second, Status.NONZERO_EXIT, Status.COMPILE_ERROR, of="a second that does not parse")


CHECKS = (
    dialogue,
    first_ends,
    second_ends,
    nobody_listens,
    pair_limits,
    pair_isolation,
    broken_pairs,
)
