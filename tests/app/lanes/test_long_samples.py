"""Long samples are read in workers, or in a thread: the verdict is the same, and the event loop is not kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import ClassVar

import pytest

from app.admission.admit import admit
from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from app.lanes.lanes import Lanes
from app.lanes.long_samples import LONGEST, LongSample
from app.settings import Settings
from tests.app.path.lines import Asked, Checked, Inline, Lined, Ran, item
from trueward.authoring.verifier import SampleVerifier, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from trueward.wire.verifier import Lane
from verifiers import registry

LONG = "so it goes. " * (LONGEST // 10)
FLOOD = "<think>" * 130_000


@pytest.mark.parametrize("verifier", [Inline(), Checked()])
async def test_a_long_sample_is_a_workers_and_shared_by_its_content(verifier: SampleVerifier) -> None:
    lined = Lined.made()
    first = await lined.judged(verifier, LONG)
    again = await lined.judged(verifier, LONG)
    assert (first.outcome, again.cached) == (Outcome.CORRECT, True)
    [(task, _)] = lined.cpu.asked
    assert isinstance(task, LongSample)
    assert task.sample().response == LONG


@pytest.mark.parametrize(("verifier", "lane"), [(Ran(), "sandbox"), (Asked(), "model")])
async def test_what_needs_the_sandbox_or_a_model_is_read_in_a_thread(verifier: SampleVerifier, lane: str) -> None:
    lined = Lined.made()
    await lined.judged(verifier, LONG)
    assert not lined.cpu.asked
    assert [task for task, _ in getattr(lined, lane).asked] == [LONG]


async def test_a_short_sample_is_read_where_it_is() -> None:
    lined = Lined.made()
    await lined.judged(Inline(), "short")
    await lined.judged(Checked(), "short")
    assert [task for task, _ in lined.cpu.asked] == ["short"]


class Slow(Ran):
    name: ClassVar[str] = "slow"

    def triage(self, sample: Sample) -> Verdict | Task:
        time.sleep(0.5)
        return "read"


async def test_a_deadline_ends_the_wait_for_a_reader() -> None:
    lined = Lined.made()
    verdict = await lined.judged(Slow(), LONG, within_s=0.05)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.TIMEOUT, "deadline")


@pytest.fixture
async def lanes() -> AsyncIterator[Lanes]:
    async with Lanes(Settings(workers=1)) as made:
        yield made


def texts() -> list[str]:
    return [LONG + r" The answer is \boxed{5}.", LONG + "The answer is 6.", FLOOD, FLOOD + "</think>5", "x" * 100_000]


async def test_a_worker_says_of_a_long_sample_what_is_said_in_process(lanes: Lanes) -> None:
    samples = [Sample(response=text, reference="5", prompt="A) 5\nB) 6") for text in texts()]
    for name in ("math", "exact", "numeric", "choice", "format", "length", "repetition", "tool_call"):
        verifier = registry.create(name, {})
        deadline = asyncio.get_running_loop().time() + 60
        pending = [lanes.judge(verifier, one, deadline) for one in admit(samples, Settings())]
        assert not any(isinstance(one, Verdict) for one in pending)
        said = [one if isinstance(one, Verdict) else await one for one in pending]
        told = {"outcome", "score", "reason_code", "reason", "evidence"}
        expected = [one.model_dump(include=told) for one in verifier.verify(samples)]
        assert [one.model_dump(include=told) for one in said] == expected


class Hangs(SampleVerifier):
    """What its triage takes is the reference's doing, or the response's, as the sample says."""

    name: ClassVar[str] = "hangs"
    lane: ClassVar[Lane] = "inline"

    def verify_one(self, sample: Sample) -> Verdict:
        while str(sample.reference) in sample.response_text:
            pass
        if sample.reference == "deep":
            return self.verify_one(sample)
        return Verdict.correct("yes")


def made(name: str, params: object) -> SampleVerifier:
    return Hangs()


async def test_a_response_that_hangs_its_reader_is_priced_and_a_reference_that_does_is_not() -> None:
    pool = Pool(workers=1, limits=Limits(cpu_s=0.3), resolver="tests.app.lanes.test_long_samples:made", preload=())
    lined = Lined.made()
    lined.lanes.pool = pool
    await pool.start()
    try:
        hangs = await lined.judged(Hangs(), LONG + "hang", reference="hang")
        deep = await lined.judged(Hangs(), LONG, reference="deep")
        fine = await lined.judged(Hangs(), LONG, reference="fine")
    finally:
        await pool.stop()
    assert (hangs.outcome, hangs.reason_code) == (Outcome.INVALID, "resource_limit")
    assert (deep.outcome, deep.reason_code) == (Outcome.ABSTAINED, "reference_resource_limit")
    assert fine.outcome is Outcome.CORRECT


def test_a_long_sample_that_came_by_itself_is_long_as_well() -> None:
    assert item(LONG).length > LONGEST
