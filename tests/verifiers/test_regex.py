"""``regex`` in a worker: neither a pattern nor a text can hang it, and each is charged to whom it belongs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from trueward import Sample, Verdict
from verifiers import registry

NESTED = r"(?:a+)+b"
WIDE = r"(?i:[\x00-\U0010ffff])" * 300


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    pool = Pool(workers=1, limits=Limits(cpu_s=0.5, wall_s=20.0))
    await pool.start()
    yield pool
    await pool.stop()


async def judged(pool: Pool, response: str, pattern: str) -> Verdict:
    verifier = registry.create("regex", {})
    task = verifier.triage(Sample(response=response, reference=pattern))
    assert not isinstance(task, Verdict)
    return await pool.judge(verifier, task, asyncio.get_running_loop().time() + 60)


async def test_a_text_that_makes_the_engine_hang_is_invalid(pool: Pool) -> None:
    verdict = await judged(pool, "a" * 40, NESTED)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == ("invalid", 0.0, "resource_limit")
    assert (await judged(pool, "aab", NESTED)).outcome == "correct"


async def test_a_pattern_that_takes_too_long_to_compile_abstains(pool: Pool) -> None:
    verdict = await judged(pool, "a", WIDE)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == ("abstained", None, "reference_resource_limit")


def test_evidence_says_what_matched_and_where() -> None:
    [verdict] = registry.create("regex", {"mode": "search", "pattern": r"\d+"}).verify([Sample(response=" abc 42 d")])
    assert verdict.evidence["match"] == "42"
    assert verdict.evidence["span"] == [4, 6]
