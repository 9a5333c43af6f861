"""Hostile answers through the real pool: each ends within its budget and costs the policy, and the pool survives.

And load changes no verdict: what one caller gets is what each of eight at once gets.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from app.scoring.cpu.limits import Limits
from app.scoring.cpu.pool import Pool
from tests.verifiers.math.bombs import BOMBS, RESPONSES
from trueward import Abstain, Outcome, Sample, Verdict
from trueward.verifier import Verifier
from verifiers import registry
from verifiers.math import MathVerifier

CPU_S, WALL_S = 1.0, 2.0
"""What an item may use of its own process, and of the clock."""
LOADS = 8
_INLINE_S = 0.75
_CASES = Path(__file__).parents[2] / "cases" / "math.jsonl"

HOSTILE = [
    *(Sample(response=f"so \\boxed{{{answer}}}", reference=reference) for answer, reference in BOMBS),
    *(Sample(response=response, reference=reference) for response, reference in RESPONSES),
]
Item = tuple[Verifier, Sample]


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    # a loaded machine may take long over little: the clock's limit is asserted where nothing else runs
    pool = Pool(workers=2, limits=Limits(cpu_s=CPU_S, wall_s=60))
    await pool.start()
    yield pool
    await pool.stop()


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


async def test_every_hostile_item_costs_the_policy_within_its_budget_and_the_pool_stays_at_full_strength(
    pool: Pool,
) -> None:
    math = MathVerifier()
    assert len(HOSTILE) >= 177
    for sample in HOSTILE:
        start = time.process_time()
        with contextlib.suppress(Abstain):
            math.triage(sample)
        assert time.process_time() - start < _INLINE_S, sample.response_text[:60]
        verdict = await judged(pool, (math, sample))
        assert verdict.outcome in (Outcome.INCORRECT, Outcome.INVALID), (sample.response_text[:60], verdict)
        assert verdict.score == 0.0
        # on a machine that others load a second of CPU takes longer by the clock
        assert verdict.elapsed_s <= WALL_S * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), sample.response_text
        await until_full(pool)
    # the longest items were ended by their CPU seconds, not waited for
    assert pool.stats().restarts["cpu_limit"] >= 1
    right = await judged(pool, (math, Sample(response="\\boxed{\\int_0^1 x\\,dx}", reference="1/2")))
    assert right.outcome is Outcome.CORRECT


def contract() -> list[Item]:
    """All cases that a worker judges, and every eighth of the others."""
    found: list[Item] = []
    for number, line in enumerate(_CASES.read_text(encoding="utf-8").splitlines()):
        case = json.loads(line)
        item = (registry.create("math", case["params"]), Sample.model_validate(case["sample"]))
        with contextlib.suppress(Abstain):
            if number % LOADS == 0 or not isinstance(item[0].triage(item[1]), Verdict):
                found.append(item)
    return found


async def test_eight_loads_at_once_get_the_verdicts_that_one_gets(pool: Pool) -> None:
    math = MathVerifier()
    items = [*contract(), *((math, sample) for sample in HOSTILE)]
    first = [await judged(pool, item) for item in items]
    alone = [_said(verdict) for verdict in first]
    # CPU seconds grow on a busy machine and fall in a worker that has judged the like: what is near its limit may end
    # on either side of it, at a score of 0 on both
    near = {place for place, verdict in enumerate(first) if verdict.elapsed_s > 0.4 * CPU_S and verdict.score == 0}
    assert len(near) < 0.05 * len(items)

    async def load(seed: int) -> list[tuple[str, str]]:
        order = list(range(len(items)))
        Random(seed).shuffle(order)
        verdicts = await asyncio.gather(*(judged(pool, items[place]) for place in order))
        found = dict(zip(order, map(_said, verdicts), strict=True))
        return [found[place] for place in range(len(items))]

    ended = ("invalid", "resource_limit")

    def alike(place: int, said: tuple[str, str]) -> bool:
        tipped = place in near and ended in (said, alone[place]) and said[0] in ("incorrect", "invalid")
        return tipped or said == alone[place]

    for found in await asyncio.gather(*map(load, range(LOADS))):
        assert [(alone[at], said) for at, said in enumerate(found) if not alike(at, said)] == []
    await until_full(pool)


def _said(verdict: Verdict) -> tuple[str, str]:
    return verdict.outcome.value, verdict.reason_code


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: ascii(bomb[0][:20]))
def test_a_bomb_as_the_reference_ends_in_triage_with_a_verdict_a_task_or_a_refusal(bomb: tuple[str, str]) -> None:
    verifier = MathVerifier()
    with contextlib.suppress(Abstain):
        found = verifier.triage(Sample(response="so \\boxed{2 + y}", reference=bomb[0]))
        assert not isinstance(found, Verdict) or found.outcome is not Outcome.ERROR
