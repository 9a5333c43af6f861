"""Tokens a second of the engine, queue and tokenisation included, beside plain transformers and beside the limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median

import psutil

from benchmarks.models.bare import Bare, Plain
from judges.engine.process import EngineProcess
from judges.questions import Classify
from trueward.wire.model import ModelEntry

PADDED = (4, 8, 16, 32)
PACKED = (512, 2_048, 8_192)
PATIENCE_S = 3_600.0


@dataclass(slots=True)
class Rate:
    """Tokens a second, of each round; on CPU seconds are those of the processes that did the work."""

    name: str
    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.rounds)


class Clock:
    """Seconds that work takes: of CPU by this process and its children, or by the clock where a device works."""

    def __init__(self, device: str) -> None:
        self._on_device = device != "cpu"

    def now(self) -> float:
        if self._on_device:
            return time.perf_counter()
        # of others the kernel tells hundredths of a second, which is too coarse for a batch of this process
        return time.process_time() + sum(map(_spent, psutil.Process().children(recursive=True)))


def _spent(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


async def rates(
    entry: ModelEntry, engine: EngineProcess, plain: Plain, bare: Bare, texts: Sequence[str], rounds: int, device: str
) -> tuple[list[Rate], float]:
    """Every way in every round, one after another; and how far the engine's scores are from plain ones at most."""
    clock = Clock(device)
    sequences: list[list[int]] = plain.tokenizer(list(texts))["input_ids"]
    tokens = sum(map(len, sequences))
    scores = [(await answered(engine, entry, text))[0] for text in texts[:32]]
    apart = max(abs(a - b) for a, b in zip(scores, plain.loop(texts[:32], 1), strict=True))

    async def engine_round() -> None:
        await asyncio.gather(*(answered(engine, entry, text) for text in texts))

    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "engine": engine_round,
        "plain, batch 1": _sync(partial(plain.loop, texts, 1)),
        "plain, padded 32": _sync(partial(plain.loop, texts, 32)),
    }
    ways |= {f"bare, sorted and padded {size}": _sync(partial(bare.padded, sequences, size)) for size in PADDED}
    ways |= {f"bare, packed {size}": _sync(partial(bare.packed, sequences, size)) for size in PACKED}
    found = {name: Rate(name) for name in ways}
    for name, way in ways.items():
        if name.startswith("bare") or rounds > 1:
            await way()  # once before the clock: kernels are chosen, memory is there
    for _ in range(rounds):
        for name, way in ways.items():
            start = clock.now()
            await way()
            found[name].rounds.append(tokens / (clock.now() - start))
    return list(found.values()), apart


async def answered(engine: EngineProcess, entry: ModelEntry, text: str, flow: str = "crowd") -> tuple[float, ...]:
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    answer = await engine.ask(entry, Classify(text), deadline=deadline, flow=flow)
    return answer.rows[0]


@dataclass(frozen=True, slots=True)
class Lone:
    """Seconds that a lone request waits while a crowd is served, against those of one batch."""

    p50_s: float
    p99_s: float
    batch_s: float


async def lone(engine: EngineProcess, entry: ModelEntry, texts: Sequence[str], count: int) -> Lone:
    """Asks one after another while there is always a crowd of ``texts`` in the queue."""
    before = engine.counters()
    crowd = [asyncio.ensure_future(answered(engine, entry, text)) for text in texts]
    waited: list[float] = []
    for number in range(count):
        if all(one.done() for one in crowd[: len(crowd) // 2]):
            crowd = [one for one in crowd if not one.done()]
            crowd += [asyncio.ensure_future(answered(engine, entry, text)) for text in texts]
        start = time.perf_counter()
        await answered(engine, entry, texts[number % len(texts)] + f" {number}", flow=f"lone {number}")
        waited.append(time.perf_counter() - start)
    for one in crowd:
        one.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    await asyncio.sleep(1.0)  # the next heartbeat counts what was done
    after = engine.counters()
    batches = after["batches"] - before["batches"]
    waited.sort()
    return Lone(
        waited[len(waited) // 2], waited[int(0.99 * (len(waited) - 1))], (after["busy_s"] - before["busy_s"]) / batches
    )


def _sync(work: Callable[[], object]) -> Callable[[], Awaitable[object]]:
    async def run() -> object:
        return work()

    return run
