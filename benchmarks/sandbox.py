"""Programs a second in a sandbox: Trueward's backends beside a bare process, bubblewrap and ``docker run``.

``python -m benchmarks.sandbox [--short | --long]``. Two at once, closed loop, every program distinct, all with
Debian's ``python3 -I``: one that prints a line, and one with ten assertions. Trueward runs it by standard input
(one jail), in one jail with its assertions, and split (candidate and tests in two jails). Contestants take turns,
the medians over the rounds count; ratios are to the bare process, which isolates nothing. Not measured here: the
verdict (comparison, HTTP, ledger), which ``benchmarks.path`` prices.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from sandbox.base import Program, Sandbox, Status, run
from sandbox.docker import DockerSandbox
from sandbox.harness import assertions_program, candidate_program, read_results, same_process_program
from sandbox.limits import Limits
from sandbox.local import LocalSandbox

PYTHON = "/usr/bin/python3"
IMAGE = "trueward-test/sandbox"
"""Made by `make images`."""

WORKERS = 2
ASSERTIONS = 10
HANG_LIMIT_S = 0.5
LATE_S = 0.1
BARE = "bare process"

Attempt = Callable[[int], Awaitable[None]]
"""Runs the program of that number; raises AssertionError unless it did what it should."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Seconds that each contestant runs in a round, and how many hangs are timed."""

    rounds: int
    seconds: float
    hangs: int


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, seconds=0.1, hangs=1),
    "quick": Scale(rounds=3, seconds=3.0, hangs=6),
    "long": Scale(rounds=5, seconds=10.0, hangs=20),
}


@dataclass(frozen=True, slots=True)
class Rate:
    runs: int
    per_s: float
    p50_s: float
    p99_s: float


def trivial(number: int) -> str:
    return f"print({number})\n"


def function(number: int) -> str:
    return f"def plus(n):\n    return n + {number}\n"


def assertions(number: int) -> list[str]:
    return [f"assert plus({n}) == {n + number}" for n in range(ASSERTIONS)]


async def _command(command: Sequence[str], number: int, source: str, *, printed: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await process.communicate(source.encode())
    assert process.returncode == 0, errors.decode()
    assert out.decode() == printed


def by_command(*command: str) -> dict[str, Attempt]:
    """The program comes by standard input, which costs the same as by a file."""

    async def run_trivial(number: int) -> None:
        await _command([*command, "-I", "-"], number, trivial(number), printed=f"{number}\n")

    async def run_assertions(number: int) -> None:
        source = function(number) + "\n".join(assertions(number)) + "\n"
        await _command([*command, "-I", "-"], number, source, printed="")

    return {"trivial": run_trivial, "assertions": run_assertions}


def by_sandbox(sandbox: Sandbox, *, split: bool) -> dict[str, Attempt]:
    limits = Limits()

    async def run_trivial(number: int) -> None:
        done = await run(sandbox, Program("python", trivial(number)), limits)
        assert done.status is Status.FINISHED, done
        assert done.stdout.decode() == f"{number}\n"

    async def run_together(number: int) -> None:
        program = same_process_program("python", function(number), assertions(number), per_test_s=5.0)
        results = read_results(await run(sandbox, program, limits))
        assert len(results) == ASSERTIONS, results
        assert all(result.passed for result in results), results

    async def run_split(number: int) -> None:
        first = assertions_program("python", assertions(number), per_test_s=5.0, stop_at_first=False)
        tests, _ = await sandbox.pair(first, candidate_program("python", function(number)), limits)
        results = read_results(tests)
        assert len(results) == ASSERTIONS, results
        assert all(result.passed for result in results), results

    if split:
        return {"assertions": run_split}
    return {"trivial": run_trivial, "assertions": run_together}


async def rate(attempt: Attempt, seconds: float, first: int) -> Rate:
    """``WORKERS`` at once until the time is over; latencies of all that were begun."""
    latencies: list[float] = []
    start = time.perf_counter()

    async def work(number: int) -> None:
        while (began := time.perf_counter()) - start < seconds:
            await attempt(number)
            latencies.append(time.perf_counter() - began)
            number += WORKERS

    await asyncio.gather(*(work(first + index) for index in range(WORKERS)))
    p50, p99 = np.percentile(latencies, [50, 99])
    return Rate(len(latencies), len(latencies) / (time.perf_counter() - start), float(p50), float(p99))


async def overtime(sandbox: Sandbox, count: int) -> list[float]:
    """Seconds by which the word on a hanging program came after its limit."""
    late = []
    for number in range(count):
        start = time.perf_counter()
        done = await run(sandbox, Program("python", f"while {number} < 1_000_000: pass"), Limits(wall_s=HANG_LIMIT_S))
        late.append(time.perf_counter() - start - HANG_LIMIT_S)
        assert done.status is Status.TIME_LIMIT, done
    return late


Rates = dict[str, dict[str, list[Rate]]]
"""By contestant and program, one a round."""


async def measure(scale: Scale) -> tuple[Rates, list[float]]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        local, docker = LocalSandbox(workers=WORKERS, python=PYTHON), DockerSandbox(IMAGE, warm=WORKERS)
        for sandbox in (local, docker):
            stack.push_async_callback(sandbox.close)
        contestants = {
            BARE: by_command(PYTHON),
            "bubblewrap": by_command(*bubblewrap(folder), PYTHON),
            "docker run": by_command(*docker_run(IMAGE), "python3"),
            "Trueward local": by_sandbox(local, split=False),
            "Trueward local, split": by_sandbox(local, split=True),
            "Trueward docker": by_sandbox(docker, split=False),
        }
        rates: Rates = {}
        number = 0
        for attempts in contestants.values():
            for attempt in attempts.values():
                await attempt(number := number + 1)
        for _ in range(scale.rounds):
            for name, attempts in contestants.items():
                for program, attempt in attempts.items():
                    measured = await rate(attempt, scale.seconds, number + 1)
                    number += 2 * measured.runs + WORKERS
                    rates.setdefault(name, {}).setdefault(program, []).append(measured)
        return rates, await overtime(local, scale.hangs)


def bubblewrap(folder: str) -> list[str]:
    found = shutil.which("bwrap")
    assert found, "install bubblewrap (Debian package bubblewrap)"
    isolation = ["--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    files = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"]
    return [found, *isolation, *files, "--chdir", "/tmp"]


def docker_run(image: str) -> list[str]:
    limits = ["--network=none", "--read-only", "--cap-drop=ALL", "--pids-limit=64", "--memory=512m"]
    return ["docker", "run", "--rm", "--interactive", *limits, image]


def per_s(rates: Rates, contestant: str, program: str) -> float:
    return median(one.per_s for one in rates[contestant][program])


def ratio(rates: Rates, contestant: str, program: str, to: str = BARE) -> float:
    """The median over the rounds of the rates' ratio."""
    pairs = zip(rates[contestant][program], rates[to][program], strict=True)
    return round(median(ours.per_s / theirs.per_s for ours, theirs in pairs), 3)


def judge(rates: Rates, late: Sequence[float]) -> list[Aim]:
    def at_least(name: str, contestant: str, program: str, least: float, limit: str, to: str = BARE) -> Aim:
        reached = ratio(rates, contestant, program, to)
        text = f"{reached:.3g} times ({per_s(rates, contestant, program):,.0f} runs/s)"
        return Aim(name, f"at least {least:g} times", text, reached >= least, limit)

    set_up = "namespaces, mounts and the fork of a warm interpreter, for each run"
    return [
        at_least("trivial, against bare", "Trueward local", "trivial", 2.5, set_up),
        at_least("assertions in one jail, against bare", "Trueward local", "assertions", 3.5, set_up),
        at_least("assertions split, against bare", "Trueward local, split", "assertions", 2.0, "two jails a sample"),
        at_least("trivial, against bubblewrap", "Trueward local", "trivial", 3.0, set_up, to="bubblewrap"),
        at_least("docker, fresh container, against bare", "Trueward docker", "trivial", 0.05, "making a container"),
        Aim(
            "a hanging program's verdict after its limit",
            f"at most {LATE_S:g} s",
            f"{max(late):.3f} s at most, {median(late):.3f} s as a rule",
            max(late) <= LATE_S,
            "the parent's clock, the kill and the clean-up",
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("sandbox", (__doc__ or "").partition("\n")[0], arguments)
    rates, late = asyncio.run(measure(SCALES[call.form]))
    aims = judge(rates, late)
    body = []
    for name, programs in rates.items():
        for program, measured in programs.items():
            p50_s, p99_s = (median(getattr(one, field) for one in measured) for field in ("p50_s", "p99_s"))
            numbers = (f"{per_s(rates, name, program):,.1f}", f"{ratio(rates, name, program):.3g}")
            body.append([f"{name}: {program}", *numbers, f"{1e3 * p50_s:.1f}", f"{1e3 * p99_s:.1f}"])
    rows("Programs in a sandbox, two at once", ["contestant", "runs/s", "to bare", "p50 ms", "p99 ms"], body)
    show_aims(aims)
    ratios = {name: {program: ratio(rates, name, program) for program in programs} for name, programs in rates.items()}
    document = {
        "scale": SCALES[call.form],
        "workers": WORKERS,
        "aims": aims,
        "ratios": ratios,
        "rates": rates,
        "late_s": late,
    }
    finish("sandbox", call, document, {"every program did what it should": True})


if __name__ == "__main__":
    main()
