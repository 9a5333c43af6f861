"""Whose doing a crash is: the response's where harmless ones are judged against its reference, else ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import pytest
from structlog.testing import capture_logs

from app.admission.admit import admit
from app.lanes.lanes import Lanes
from app.lanes.programs import Programs
from app.settings import Settings
from sandbox.base import Sandbox, SandboxFailure
from tests.app.path.scripted import ScriptedSandbox
from trueward.authoring.verifier import Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.sandboxed import SandboxVerifier

HOSTILE = "boom"
Said = tuple[str, str, float | None]


class Crashes(SandboxVerifier):
    """Raises where ``fails(response, times asked so far)`` says so, and counts."""

    name: ClassVar[str] = "crashes"

    def __init__(self, fails: Callable[[str, int], bool], failure: Exception, *, at_once: bool) -> None:
        super().__init__()
        self.asked = 0
        self._fails, self._failure, self._at_once = fails, failure, at_once

    def triage(self, sample: Sample) -> Verdict | Task:
        return self._judge(sample.response_text) if self._at_once else sample.response_text

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        return self._judge(str(task))

    def _judge(self, response: str) -> Verdict:
        self.asked += 1
        if self._fails(response, self.asked):
            raise self._failure
        return Verdict.incorrect("wrong")


class Reads(Crashes):
    """Never gets as far as the reference, but for what crashes it."""

    def _judge(self, response: str) -> Verdict:
        super()._judge(response)
        return Verdict.invalid("no_answer")


@pytest.fixture
def lanes() -> Lanes:
    lanes = Lanes(Settings())
    lanes.programs = Programs(ScriptedSandbox(), workers=8)
    return lanes


async def said(lanes: Lanes, verifier: SandboxVerifier, responses: Iterable[str] = (HOSTILE,)) -> list[Said]:
    items = admit([Sample(response=text, reference="r") for text in responses], Settings())
    found = [lanes.judge(verifier, item, asyncio.get_running_loop().time() + 5.0) for item in items]
    verdicts = [one if isinstance(one, Verdict) else await one for one in found]
    assert all(verdict.producer in (None, verifier.producer) for verdict in verdicts)
    return [(verdict.outcome.value, verdict.reason_code, verdict.score) for verdict in verdicts]


def on_hostile(response: str, asked: int) -> bool:
    return response.startswith(HOSTILE)


UNJUDGEABLE: Said = ("invalid", "unjudgeable_response", 0.0)
FAILURES = [
    pytest.param({"failure": KeyError("x"), "at_once": True}, "verifier_crashed", id="inline"),
    pytest.param({"failure": KeyError("x"), "at_once": False}, "verifier_crashed", id="lane"),
    pytest.param({"failure": SandboxFailure("gone"), "at_once": False}, "sandbox_failed", id="sandbox"),
]


@pytest.mark.parametrize(("how", "code"), FAILURES)
async def test_a_response_that_crashes_us_where_others_do_not_is_priced(
    lanes: Lanes, how: dict[str, Any], code: str
) -> None:
    with capture_logs() as lines:
        assert await said(lanes, Crashes(on_hostile, **how)) == [UNJUDGEABLE]
    [line] = [line for line in lines if line["event"] == "unjudgeable_response"]
    assert (line["log_level"], line["verifier"], line["failure"]) == ("error", "crashes", code)
    assert line["fingerprint"]
    assert lanes.blame.priced == 1


@pytest.mark.parametrize(("how", "code"), FAILURES)
async def test_a_task_that_crashes_us_with_any_response_has_no_score(
    lanes: Lanes, how: dict[str, Any], code: str
) -> None:
    assert await said(lanes, Crashes(lambda response, asked: True, **how)) == [("error", code, None)]
    assert lanes.blame.priced == 0


@pytest.mark.parametrize("response", ["0", "The answer is A.", "```python\npass\n```"])
async def test_a_crash_that_one_harmless_response_meets_is_ours(lanes: Lanes, response: str) -> None:
    def both(text: str, asked: int) -> bool:
        return text in (HOSTILE, response)

    verifier = Crashes(both, KeyError("x"), at_once=False)
    assert await said(lanes, verifier) == [("error", "verifier_crashed", None)]


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_failure_that_passes_costs_nothing(lanes: Lanes, at_once: bool) -> None:
    verifier = Crashes(lambda response, asked: asked == 1, KeyError("x"), at_once=at_once)
    assert await said(lanes, verifier) == [("incorrect", "wrong", 0.0)]


async def test_an_outage_that_begins_after_the_controls_prices_nobody(lanes: Lanes) -> None:
    def out(response: str, asked: int) -> bool:
        return on_hostile(response, asked) or asked > 4

    verifier = Crashes(out, KeyError("x"), at_once=False)
    assert await said(lanes, verifier) == [("error", "verifier_crashed", None)]


async def test_a_reference_that_no_control_reached_proves_nothing(lanes: Lanes) -> None:
    verifier = Reads(on_hostile, KeyError("x"), at_once=False)
    assert await said(lanes, verifier) == [("error", "verifier_crashed", None)]


async def test_a_sound_task_is_found_sound_once(lanes: Lanes) -> None:
    verifier = Crashes(on_hostile, KeyError("x"), at_once=False)
    assert await said(lanes, verifier) == [UNJUDGEABLE]
    first = verifier.asked
    assert await said(lanes, verifier, [HOSTILE + "!", HOSTILE + "?"]) == [UNJUDGEABLE] * 2
    assert verifier.asked - first == 6  # each twice, and one control after


async def test_a_priced_crash_is_judged_again_when_it_comes_again(lanes: Lanes) -> None:
    broken = True
    verifier = Crashes(lambda response, asked: broken and on_hostile(response, asked), KeyError("x"), at_once=False)
    assert await said(lanes, verifier) == [UNJUDGEABLE]
    broken = False
    assert await said(lanes, verifier) == [("incorrect", "wrong", 0.0)]
