"""The lanes themselves: what becomes of a verifier's failure, what is shared, and what is given again."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest

from app.admission.admit import admit
from app.lanes.lanes import Lanes
from app.lanes.programs import Programs
from app.settings import Settings
from sandbox.base import Sandbox
from tests.app.path.scripted import ScriptedSandbox
from trueward.authoring.verifier import Abstain, Params, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.sandboxed import SandboxVerifier

CERTAIN = [Verdict.correct("yes"), Verdict.incorrect("no"), Verdict.invalid("no_answer")]
OPEN = [
    Verdict.abstained("no_reference"),
    Verdict.timeout("deadline"),
    Verdict.error("verifier_crashed"),
    Verdict.invalid("resource_limit"),
    Verdict.invalid("time_limit"),
    Verdict.invalid("unjudgeable"),
    Verdict.incorrect("none_passed", evidence={"time_limited": True}),
]
"""What another try could say otherwise: a missing score, and whatever came about by a clock or a limit."""


class Says(SandboxVerifier):
    """Says one verdict, at once or after ``work_s`` seconds, and counts how often it was asked."""

    name: ClassVar[str] = "says"

    def __init__(
        self, verdict: Verdict, *, at_once: bool = False, work_s: float = 0.0, params: Params | None = None
    ) -> None:
        super().__init__(params)
        self.asked = 0
        self._verdict, self._at_once, self._work_s = verdict, at_once, work_s

    def triage(self, sample: Sample) -> Verdict | Task:
        self.asked += self._at_once
        return self._verdict.model_copy() if self._at_once else sample.response_text

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        self.asked += 1
        await asyncio.sleep(self._work_s)
        return self._verdict.model_copy()


class Draws(Says):
    """Another verdict might come out each time."""

    deterministic: ClassVar[bool] = False


class Newer(Says):
    version: ClassVar[str] = "2"


class Breaks(Says):
    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        raise KeyError(task)


class Exhausts(Says):
    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        raise RecursionError("an output nested too deeply to be compared")


class Level(Params):
    level: int


class Fails(SandboxVerifier):
    name: ClassVar[str] = "fails"

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self._failure = failure

    def triage(self, sample: Sample) -> Verdict | Task:
        raise self._failure


@pytest.fixture
def lanes() -> Lanes:
    """Without worker processes: the programs' lane does."""
    lanes = Lanes(Settings())
    lanes.programs = Programs(ScriptedSandbox(), workers=8)
    return lanes


async def judged(lanes: Lanes, verifier: SandboxVerifier, within_s: float = 5.0) -> Verdict:
    [item] = admit([Sample(response="r", reference="r")], Settings())
    found = lanes.judge(verifier, item, asyncio.get_running_loop().time() + within_s)
    return found if isinstance(found, Verdict) else await found


@pytest.mark.parametrize(
    ("failure", "outcome", "code"),
    [
        (KeyError("x"), Outcome.ERROR, "verifier_crashed"),
        (Abstain("no_unit", "the reference has none"), Outcome.ABSTAINED, "no_unit"),
        (RecursionError(), Outcome.INVALID, "resource_limit"),
        (MemoryError(), Outcome.INVALID, "resource_limit"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_bug_has_no_score_and_an_exhausted_limit_is_not_free(
    lanes: Lanes, failure: Exception, outcome: Outcome, code: str
) -> None:
    verdict = await judged(lanes, Fails(failure))
    assert (verdict.outcome, verdict.reason_code) == (outcome, code)


async def test_a_bug_while_a_program_is_judged_has_no_score(lanes: Lanes) -> None:
    verdict = await judged(lanes, Breaks(Verdict.correct("yes")))
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "verifier_crashed")


async def test_an_output_that_exhausts_us_is_the_response_s_own_doing(lanes: Lanes) -> None:
    verdict = await judged(lanes, Exhausts(Verdict.correct("yes")))
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.INVALID, 0.0, "resource_limit")


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("verdict", CERTAIN, ids=lambda verdict: verdict.reason_code)
async def test_what_would_come_out_the_same_is_given_again(lanes: Lanes, verdict: Verdict, at_once: bool) -> None:
    verifier = Says(verdict, at_once=at_once)
    first, second = await judged(lanes, verifier), await judged(lanes, verifier)
    assert (first.cached, second.cached, verifier.asked) == (False, True, 1)
    assert (second.outcome, second.score, second.reason_code) == (verdict.outcome, verdict.score, verdict.reason_code)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("verdict", OPEN, ids=lambda verdict: verdict.reason_code)
async def test_what_could_come_out_otherwise_is_judged_again(lanes: Lanes, verdict: Verdict, at_once: bool) -> None:
    verifier = Says(verdict, at_once=at_once)
    first = await judged(lanes, verifier)
    asked = verifier.asked
    second = await judged(lanes, verifier)
    assert (first.cached, second.cached, verifier.asked) == (False, False, 2 * asked)


@pytest.mark.parametrize("at_once", [True, False])
async def test_another_version_and_other_parameters_are_another_verdict(lanes: Lanes, at_once: bool) -> None:
    yes = Verdict.correct("yes")
    old, new = Says(yes, at_once=at_once), Newer(yes, at_once=at_once)
    low, high = (Says(yes, at_once=at_once, params=Level(level=level)) for level in (1, 2))
    assert [(await judged(lanes, verifier)).cached for verifier in (old, new, low, high)] == [False] * 4


async def test_equal_tasks_under_way_are_judged_once(lanes: Lanes) -> None:
    verifier = Says(Verdict.correct("yes"), work_s=0.05)
    verdicts = await asyncio.gather(*(judged(lanes, verifier) for _ in range(5)))
    assert {verdict.outcome for verdict in verdicts} == {Outcome.CORRECT}
    assert verifier.asked == 1


@pytest.mark.parametrize("at_once", [True, False])
async def test_samples_of_a_verifier_that_draws_never_share_a_verdict(lanes: Lanes, at_once: bool) -> None:
    verifier = Draws(Verdict.correct("yes"), at_once=at_once, work_s=0.05)
    await asyncio.gather(judged(lanes, verifier), judged(lanes, verifier))
    await judged(lanes, verifier)
    assert verifier.asked == 3


async def test_who_joins_late_work_has_no_score_at_its_own_deadline(lanes: Lanes) -> None:
    verifier = Says(Verdict.correct("yes"), work_s=0.3)
    first, joined = await asyncio.gather(judged(lanes, verifier), judged(lanes, verifier, within_s=0.05))
    assert first.outcome is Outcome.CORRECT
    assert (joined.outcome, joined.score, joined.reason_code) == (Outcome.TIMEOUT, None, "deadline")


async def test_who_has_more_time_than_the_work_it_joined_begins_it_again(lanes: Lanes) -> None:
    verifier = Says(Verdict.correct("yes"), work_s=0.2)
    first, joined = await asyncio.gather(judged(lanes, verifier, within_s=0.05), judged(lanes, verifier))
    assert (first.outcome, joined.outcome) == (Outcome.TIMEOUT, Outcome.CORRECT)
