"""Items of ``math`` in company: several callers at once ask for the same items, each in an order of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from app.lanes.cpu.pool import Pool
from tests.verifiers.math.bombs import BOMBS, RESPONSES
from trueward import Abstain, Sample, Verdict
from trueward.authoring.verifier import Verifier
from verifiers import registry
from verifiers.math import MathVerifier

CPU_S, MOST_CPU_S = 1.0, 2.0
"""CPU seconds after which an item is ended, and by which it has been."""
WALL_S = 2.0
"""What an item may take by the clock, where nothing else runs."""
HOSTILE = [
    *(Sample(response=f"so \\boxed{{{answer}}}", reference=reference) for answer, reference in BOMBS),
    *(Sample(response=response, reference=reference) for response, reference in RESPONSES),
]
Item = tuple[Verifier, Sample]
_CASES = Path(__file__).parents[2] / "cases" / "math.jsonl"
_EVERY = 8
"""Of the contract cases that need no worker, one in so many."""


def items() -> list[Item]:
    """The contract cases that a worker judges, some of the others, and every hostile answer."""
    found: list[Item] = []
    for number, line in enumerate(_CASES.read_text(encoding="utf-8").splitlines()):
        case = json.loads(line)
        item = (registry.create("math", case["params"]), Sample.model_validate(case["sample"]))
        with contextlib.suppress(Abstain):
            if number % _EVERY == 0 or not isinstance(item[0].triage(item[1]), Verdict):
                found.append(item)
    math = MathVerifier()
    return [*found, *((math, sample) for sample in HOSTILE)]


async def judged(pool: Pool, item: Item, deadline_s: float = 300) -> Verdict:
    verifier, sample = item
    try:
        found = verifier.triage(sample)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    if isinstance(found, Verdict):
        return found
    return await pool.judge(verifier, found, asyncio.get_running_loop().time() + deadline_s)


async def until_full(pool: Pool) -> None:
    async with asyncio.timeout(30):
        while pool.stats().alive < pool.stats().workers:
            await asyncio.sleep(0.05)


async def check_company(pool: Pool, items: Sequence[Item], loads: int) -> None:
    """Each item has the verdict that it has alone, in each of ``loads`` loads at once; then the pool is full again."""
    first = [await judged(pool, item) for item in items]
    alone = [_said(verdict) for verdict in first]
    # CPU seconds grow on a busy machine and fall in a worker that has judged the like: what is near its limit may end
    # on either side of it, at a score of 0 on both. The clock also counts waiting, so that ``near`` holds
    # items that are not; few verdicts may differ.
    near = {place for place, verdict in enumerate(first) if verdict.elapsed_s > 0.4 * CPU_S and verdict.score == 0}

    async def load(seed: int) -> list[tuple[str, str]]:
        order = list(range(len(items)))
        Random(seed).shuffle(order)
        verdicts = await asyncio.gather(*(judged(pool, items[place]) for place in order))
        found = dict(zip(order, map(_said, verdicts), strict=True))
        return [found[place] for place in range(len(items))]

    ended = ("invalid", "resource_limit")

    def tipped(place: int, said: tuple[str, str]) -> bool:
        return place in near and ended in (said, alone[place]) and said[0] in ("incorrect", "invalid")

    for found in await asyncio.gather(*map(load, range(loads))):
        changed = {at: said for at, said in enumerate(found) if said != alone[at]}
        assert [(alone[at], said) for at, said in changed.items() if not tipped(at, said)] == []
        assert len(changed) < 0.05 * len(items)
    await until_full(pool)


def _said(verdict: Verdict) -> tuple[str, str]:
    return verdict.outcome.value, verdict.reason_code
