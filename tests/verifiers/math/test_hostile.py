"""Hostile answers through the real pool: each ends within its budget and costs the policy, and the pool survives.

And load changes no verdict: what one caller gets is what each of several at once gets.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator

import pytest

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from tests.verifiers.math.bombs import BOMBS
from tests.verifiers.math.company import CPU_S, HOSTILE, MOST_CPU_S, WALL_S, check_company, items, judged, until_full
from trueward import Abstain, Outcome, Sample, Verdict
from verifiers.math import MathVerifier

_INLINE_S = 0.75
_LOADS, _PART = 3, 8
"""Callers at once, and one in so many of the items: ``make prove-loads`` has eight callers and all items."""


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    # a loaded machine may take long over little: the clock's limit is asserted where nothing else runs
    pool = Pool(workers=2, limits=Limits(cpu_s=CPU_S, wall_s=60))
    await pool.start()
    yield pool
    await pool.stop()


async def test_every_hostile_item_costs_the_policy_within_its_budget_and_the_pool_stays_at_full_strength(
    pool: Pool,
) -> None:
    math = MathVerifier()
    assert len(HOSTILE) >= 177
    used: list[float] = []
    for sample in HOSTILE:
        start = time.process_time()
        with contextlib.suppress(Abstain):
            math.triage(sample)
        assert time.process_time() - start < _INLINE_S, sample.response_text[:60]
        verdict = await judged(pool, (math, sample))
        assert verdict.outcome in (Outcome.INCORRECT, Outcome.INVALID), (sample.response_text[:60], verdict)
        assert verdict.score == 0.0
        # CPU seconds, which other work on the machine does not add to; the evidence has them where the item was ended
        used_s = verdict.evidence.get("cpu_s", 0.0)
        assert isinstance(used_s, float)
        assert used_s < MOST_CPU_S, sample.response_text
        used.append(used_s)
        await until_full(pool)
    # the longest items were ended by their CPU seconds, not waited for
    assert pool.stats().restarts["cpu_limit"] >= 1
    assert max(used) >= CPU_S
    assert pool.stats().restarts.get("wall_limit", 0) == 0
    right = await judged(pool, (math, Sample(response="\\boxed{\\int_0^1 x\\,dx}", reference="1/2")))
    assert right.outcome is Outcome.CORRECT


@pytest.mark.quiet
async def test_no_hostile_item_takes_longer_by_the_clock_than_its_budget(pool: Pool) -> None:
    math = MathVerifier()
    for sample in HOSTILE:
        verdict = await judged(pool, (math, sample))
        assert verdict.elapsed_s <= WALL_S, sample.response_text
        await until_full(pool)


async def test_several_loads_at_once_get_the_verdicts_that_one_gets(pool: Pool) -> None:
    await check_company(pool, items()[::_PART], _LOADS)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: ascii(bomb[0][:20]))
def test_a_bomb_as_the_reference_ends_in_triage_with_a_verdict_a_task_or_a_refusal(bomb: tuple[str, str]) -> None:
    verifier = MathVerifier()
    with contextlib.suppress(Abstain):
        found = verifier.triage(Sample(response="so \\boxed{2 + y}", reference=bomb[0]))
        assert not isinstance(found, Verdict) or found.outcome is not Outcome.ERROR
