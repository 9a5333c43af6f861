"""Does the sandbox leave anything behind? Thousands of programs, one in ten of them hostile.

``python -m benchmarks.runs [--short | --long]``. Two at once, on the local backend and on Docker: honest programs by
standard input and by assertions, right and wrong ones, and the attacks of ``benchmarks/attacks``. After each slice
the processes, descriptors, memory, mounts, containers and temporary files are counted: what grows is a leak.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import docker

from benchmarks.combinations import attacked, combinations
from benchmarks.processes import Footprint, Tree
from benchmarks.report import Form, called, finish, rows
from benchmarks.sandbox import IMAGE, WORKERS
from sandbox.base import Sandbox
from sandbox.docker import DockerSandbox
from sandbox.local import LocalSandbox
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.code import CodeVerifier

HOSTILE = 10
"""One in so many."""

GROWTH = 1.01
SETTLE_S, STEADY_S = 30.0, 0.5
"""What is left has so long to go, and has gone when its counts stay for so long."""
_KINDS = ("stdio", "calls", "assertions")
_OURS = "trueward"


@dataclass(frozen=True, slots=True)
class Scale:
    """Programs of a slice, and slices, by backend."""

    local: tuple[int, int]
    docker: tuple[int, int]


SCALES: dict[Form, Scale] = {
    "short": Scale(local=(20, 1), docker=(6, 1)),
    "quick": Scale(local=(400, 4), docker=(40, 2)),
    "long": Scale(local=(1_000, 9), docker=(200, 5)),
}


@dataclass(frozen=True, slots=True)
class Remains:
    """What is there between two slices."""

    footprint: Footprint
    mounts: int
    containers: int
    temporary: int

    @property
    def counts(self) -> tuple[int, ...]:
        """All but the memory, which is never twice the same."""
        return (
            self.footprint.processes,
            self.footprint.descriptors,
            self.mounts,
            self.containers,
            self.temporary,
        )


def honest(number: int) -> tuple[Sample, Outcome]:
    """A sample and what becomes of it."""
    right = number % 3 != 0
    body = f"a + b + {number if right else number + 1}"
    if number % 2:
        program = f"a, b = map(int, input().split())\nprint({body})"
        tests: dict[str, object] = {"stdio": [{"stdin": "1 2\n", "stdout": f"{3 + number}\n"}]}
    else:
        program = f"def plus(a, b):\n    return {body}"
        tests = {"assertions": [f"assert plus({n}, 2) == {n + 2 + number}" for n in range(3)]}
    sample = Sample.model_validate({"response": f"```python\n{program}\n```", "reference": tests})
    return sample, Outcome.CORRECT if right else Outcome.INCORRECT


class Mixture:
    """Runs slices, counts what came out otherwise than it should."""

    def __init__(self, sandbox: Sandbox, seed: int) -> None:
        self._sandbox = sandbox
        self._draw = random.Random(seed)
        self._attacks = list(combinations(_KINDS, seed))
        self._verifier = CodeVerifier()
        self.outcomes: Counter[str] = Counter()
        self.wrong: list[str] = []

    async def slice(self, numbers: Sequence[int]) -> None:
        rest = iter(numbers)
        await asyncio.gather(*(self._work(rest) for _ in range(WORKERS)))

    async def _work(self, numbers: Iterator[int]) -> None:
        for number in numbers:
            if number % HOSTILE == 0:
                attack = self._draw.choice(self._attacks)
                verdict = await attacked(attack, self._sandbox)
                self._count("hostile", verdict, verdict.score == 0.0, attack.name)
            else:
                sample, expected = honest(number)
                verdict = await self._verifier.execute(self._verifier.triage(sample), self._sandbox)
                self._count("honest", verdict, verdict.outcome is expected, f"honest program {number}")

    def _count(self, kind: str, verdict: Verdict, well: bool, name: str) -> None:
        self.outcomes[f"{kind}: {verdict.outcome.value}"] += 1
        if not well:
            self.wrong.append(f"{name}: {verdict.outcome}, {verdict.reason_code}: {verdict.reason}")


def remains(tree: Tree, sandbox: Sandbox) -> Remains:
    mounts = sum(_OURS in line for line in Path("/proc/self/mounts").read_text().splitlines())
    temporary = len(list(Path(tempfile.gettempdir()).iterdir()))
    containers = _containers(sandbox.server) if isinstance(sandbox, DockerSandbox) else 0
    return Remains(tree.footprint(), mounts, containers, temporary)


def _containers(server: str) -> int:
    client = docker.from_env()
    try:
        return sum(server in found["Labels"].values() for found in client.api.containers(all=True))
    finally:
        client.close()


async def soak(name: str, sandbox: Sandbox, size: int, slices: int) -> tuple[Mixture, list[Remains]]:
    """The first slice warms up: what is there after it is the measure."""
    mixture = Mixture(sandbox, seed=len(name))
    found: list[Remains] = []
    tree = Tree(os.getpid())
    for number in range(slices + 1):
        await mixture.slice(range(number * size, (number + 1) * size))
        found.append(await settled(tree, sandbox, found[0] if found else None))
    return mixture, found


async def settled(tree: Tree, sandbox: Sandbox, first: Remains | None) -> Remains:
    """What is there once it stays, and is no more than there was ``first``; or after ``SETTLE_S``."""
    deadline = time.monotonic() + SETTLE_S
    since, last = time.monotonic(), await asyncio.to_thread(remains, tree, sandbox)
    while time.monotonic() < deadline:
        await asyncio.sleep(0.1)
        now = await asyncio.to_thread(remains, tree, sandbox)
        if now.counts != last.counts:
            since = time.monotonic()
        last = now
        if time.monotonic() - since >= STEADY_S and (first is None or no_more(last, first)):
            break
    return last


def no_more(last: Remains, first: Remains) -> bool:
    """Descriptors may be those of a worker more, each."""
    slack = (0, WORKERS, 0, 0, 0)
    return all(now <= then + more for now, then, more in zip(last.counts, first.counts, slack, strict=True))


def claims(name: str, mixture: Mixture, found: Sequence[Remains]) -> dict[str, bool]:
    first, last = found[0], found[-1]
    return {
        f"{name}: every program is judged as it should be": not mixture.wrong,
        f"{name}: as many processes after as before": last.footprint.processes <= first.footprint.processes,
        f"{name}: no descriptor leaked": last.footprint.descriptors <= first.footprint.descriptors + WORKERS,
        f"{name}: no mount, container or temporary file left": last.mounts <= first.mounts
        and last.containers <= first.containers
        and last.temporary <= first.temporary,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("runs", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    document: dict[str, object] = {"scale": scale, "workers": WORKERS}
    held: dict[str, bool] = {}
    for name, (size, slices) in {"local": scale.local, "docker": scale.docker}.items():
        mixture, found = asyncio.run(_measure(name, size, slices))
        held |= claims(name, mixture, found)
        growth = found[-1].footprint.memory_bytes / found[0].footprint.memory_bytes
        document[name] = {"outcomes": dict(mixture.outcomes), "wrong": mixture.wrong[:20], "remains": found}
        if call.form == "long":
            held[f"{name}: memory grew by less than 1%"] = growth < GROWTH
        print(f"{name}: memory {100 * (growth - 1):+.2f}%, {dict(mixture.outcomes)}", *mixture.wrong[:5], sep="\n  ")
    rows("After the first slice and after the last", ["", "processes", "descriptors", "memory MiB"], _body(document))
    finish("runs", call, document, held)


async def _measure(name: str, size: int, slices: int) -> tuple[Mixture, list[Remains]]:
    sandbox: Sandbox = LocalSandbox(workers=WORKERS) if name == "local" else DockerSandbox(IMAGE, warm=WORKERS)
    with tempfile.TemporaryDirectory() as scratch:
        tempfile.tempdir = scratch
        try:
            return await soak(name, sandbox, size, slices)
        finally:
            await sandbox.close()
            tempfile.tempdir = None


def _body(document: dict[str, object]) -> list[list[str]]:
    body = []
    for name in ("local", "docker"):
        measured = document[name]
        assert isinstance(measured, dict)
        for label, one in (("first", measured["remains"][0]), ("last", measured["remains"][-1])):
            memory = f"{one.footprint.memory_bytes / 2**20:.1f}"
            body.append([f"{name}, {label}", str(one.footprint.processes), str(one.footprint.descriptors), memory])
    return body


if __name__ == "__main__":
    main()
