"""A pool of two workers with limits that tests can afford, and a way to give it trouble."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

import pytest

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from tests.app.lanes.cpu.troublemaker import Trouble, Troublemaker
from trueward.wire.verdict import Verdict

RESOLVER = "tests.app.lanes.cpu.troublemaker:create"
LIMITS = Limits(cpu_s=0.4, wall_s=20, memory_bytes=1024**3)
"""The CPU limit comes first, also on a crowded machine."""
WALL_LIMITS = Limits(cpu_s=20, wall_s=1, memory_bytes=1024**3)


class Judge(Protocol):
    async def __call__(
        self, what: str, argument: object = None, *, stage: str = "check", log: str | None = None, within_s: float = 60
    ) -> Verdict: ...


def judge_with(pool: Pool) -> Judge:
    async def judge(
        what: str, argument: object = None, *, stage: str = "check", log: str | None = None, within_s: float = 60
    ) -> Verdict:
        deadline = asyncio.get_running_loop().time() + within_s
        return await pool.judge(Troublemaker(), Trouble(what, argument, stage, log), deadline)

    return judge


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    pool = Pool(workers=2, limits=LIMITS, resolver=RESOLVER)
    await pool.start()
    yield pool
    await pool.stop()


@pytest.fixture
async def impatient() -> AsyncIterator[Pool]:
    """Its wall clock runs out first."""
    pool = Pool(workers=2, limits=WALL_LIMITS, resolver=RESOLVER)
    await pool.start()
    yield pool
    await pool.stop()


@pytest.fixture
async def roomy() -> AsyncIterator[Pool]:
    """One worker with little memory and the time to fill it."""
    pool = Pool(workers=1, limits=Limits(cpu_s=20, wall_s=40, memory_bytes=512 * 1024**2), resolver=RESOLVER)
    await pool.start()
    yield pool
    await pool.stop()


@pytest.fixture
def judge(pool: Pool) -> Judge:
    return judge_with(pool)
