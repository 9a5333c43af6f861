"""Blocks are judged some at a time, their answers stay in order, and one that fails ends the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from app.kit.db import Database
from audits.subject_verdict import AT_ONCE, Judged
from tests.app.labels.judged import Judged as Stored
from tests.app.labels.judged import record
from tests.audits.reverify.changed import Changed, reverified
from trueward.errors import Overloaded
from trueward.wire.audit import Subject
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

COUNT = 2 * AT_ONCE + 10


class Together(Changed):
    """The first block waits for the second one to begin, and so does each that is not ``failing``."""

    def __init__(self, says: dict[str, Outcome], failing: int | None = None) -> None:
        super().__init__(says)
        self._second = asyncio.Event()
        self._failing = failing
        self.cancelled = 0

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        place = len(self.requests)
        async for said in super().judge(subject, samples):
            if place:
                self._second.set()
            try:
                if place == self._failing:
                    raise Overloaded("full")
                await (asyncio.Event() if self._failing is not None else self._second).wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
            yield said


@pytest.fixture
async def says(db: Database) -> dict[str, Outcome]:
    """Everything was accepted; every third response is rejected now."""
    await record(db, [Stored(f"r{place}", {"math": True}, group=f"g{place}") for place in range(COUNT)])
    return {f"r{place}": Outcome.INCORRECT if place % 3 == 0 else Outcome.CORRECT for place in range(COUNT)}


async def test_blocks_are_judged_at_once_and_answered_in_order(db: Database, says: dict[str, Outcome]) -> None:
    async with asyncio.timeout(60):
        report = await reverified(db, Together(says))
    flips = report.findings["flips"]
    assert isinstance(flips, dict)
    assert (flips["lost"], flips["gained"]) == (len(range(0, COUNT, 3)), 0)


async def test_a_block_that_fails_ends_the_others(db: Database, says: dict[str, Outcome]) -> None:
    judging = Together(says, failing=0)
    async with asyncio.timeout(60):
        with pytest.raises(Overloaded):
            await reverified(db, judging)
    assert judging.cancelled == len(judging.requests) - 1 > 0
