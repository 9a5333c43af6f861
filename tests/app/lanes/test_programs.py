"""The sandbox lane: whose doing a lost sample is."""

from __future__ import annotations

import asyncio

import pytest

from app.lanes.programs import Programs
from sandbox.base import Program, SandboxFailure, Unsupported
from sandbox.limits import Limits
from tests.app.path.scripted import ScriptedSandbox
from trueward.authoring.verifier import Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.code import CodeVerifier
from verifiers.code.params import CodeParams
from verifiers.exact import ExactVerifier

SAMPLE = Sample(response="```bash\necho 3\n```", reference={"stdio": [{"stdout": "3"}]})
VERIFIER = CodeVerifier(CodeParams.model_validate({"language": "bash", "limits": {"wall_s": 60, "suite_s": 60}}))


HANGS = Sample(response="```bash\necho 3 # hangs\n```", reference={"stdio": [{"stdout": "3"}] * 2 + [{"stdout": "4"}]})
QUICK = CodeVerifier(CodeParams.model_validate({"language": "bash", "limits": {"wall_s": 0.4, "suite_s": 1.2}}))


async def judged(programs: Programs, within_s: float = 5.0) -> Verdict:
    return await _judged(programs, VERIFIER, SAMPLE, asyncio.get_running_loop().time() + within_s)


async def _judged(programs: Programs, verifier: Verifier, sample: Sample, deadline: float) -> Verdict:
    found = verifier.triage(sample)
    return found if isinstance(found, Verdict) else await programs.judge(verifier, found, deadline)


async def test_a_program_is_judged() -> None:
    programs = Programs(ScriptedSandbox(), workers=1)
    verdict = await judged(programs)
    assert verdict.outcome is Outcome.CORRECT
    assert verdict.producer == VERIFIER.producer
    assert (programs.running, programs.waiting, programs.failures) == (0, 0, 0)


def test_programs_that_hang_take_their_limits_at_all_places_together() -> None:
    programs = Programs(ScriptedSandbox(), workers=2)
    assert programs.hanging_s([(VERIFIER, 3), (QUICK, 5), (ExactVerifier(), 100)]) == (3 * 60 + 5 * 0.4) / 2
    assert programs.hanging_s([]) == 0.0


async def test_a_failure_of_the_sandbox_is_tried_again_once() -> None:
    programs = Programs(ScriptedSandbox(failures=1), workers=1)
    assert (await judged(programs)).outcome is Outcome.CORRECT
    assert programs.failures == 1


async def test_a_sandbox_that_keeps_failing_is_an_error_and_never_incorrect() -> None:
    programs = Programs(ScriptedSandbox(failures=9), workers=1)
    verdict = await judged(programs)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "sandbox_failed")
    assert programs.failures == 2


async def test_what_the_sandbox_lacks_is_abstained() -> None:
    verdict = await judged(Programs(ScriptedSandbox(supported=False), workers=1))
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ABSTAINED, "sandbox_unsupported")


async def test_a_program_that_uses_up_the_requests_time_is_ended_and_not_passed() -> None:
    sandbox = ScriptedSandbox(run_s=100.0)
    verdict = await judged(Programs(sandbox, workers=1), within_s=0.5)
    assert (verdict.outcome, verdict.score) == (Outcome.INCORRECT, 0.0)
    assert max(sandbox.allowed_s) < 0.5


async def test_a_sandbox_that_is_stuck_is_a_timeout_of_ours() -> None:
    verdict = await judged(Programs(ScriptedSandbox(stuck=True), workers=1), within_s=0.3)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.TIMEOUT, None, "deadline")


async def test_waiting_for_a_place_is_never_the_programs_doing() -> None:
    programs = Programs(ScriptedSandbox(run_s=0.4), workers=1)
    verdicts = await asyncio.gather(*(judged(programs, within_s=0.6) for _ in range(3)))
    assert verdicts[0].outcome is Outcome.CORRECT
    assert [verdict.outcome for verdict in verdicts[1:]] == [Outcome.TIMEOUT, Outcome.TIMEOUT]
    assert (programs.running, programs.waiting) == (0, 0)


async def test_as_many_samples_run_at_once_as_there_are_places() -> None:
    programs = Programs(ScriptedSandbox(run_s=0.2), workers=3)
    tasks = [asyncio.create_task(judged(programs)) for _ in range(8)]
    await asyncio.sleep(0.1)
    assert (programs.running, programs.waiting) == (3, 5)
    assert {verdict.outcome for verdict in await asyncio.gather(*tasks)} == {Outcome.CORRECT}


async def test_a_caller_that_goes_away_gives_its_place_back() -> None:
    programs = Programs(ScriptedSandbox(run_s=30.0), workers=1)
    task = asyncio.create_task(judged(programs))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait([task])
    assert (programs.running, programs.waiting) == (0, 0)


async def test_a_native_run_is_tried_again_once_and_then_raised() -> None:
    program, limits = Program("python", "print(3)"), Limits()
    _, done = await Programs(ScriptedSandbox(failures=1), workers=1).run(program, limits, b"")
    assert done.stdout == b"3\n"
    with pytest.raises(SandboxFailure):
        await Programs(ScriptedSandbox(failures=2), workers=1).run(program, limits, b"")
    with pytest.raises(Unsupported):
        await Programs(ScriptedSandbox(supported=False), workers=1).run(program, limits, b"")


async def together(programs: Programs, samples: list[Sample], within_s: float) -> list[Verdict]:
    """The verdicts of one request; the loop's time of each is its ``elapsed_s``."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def one(sample: Sample) -> Verdict:
        verdict = await _judged(programs, QUICK, sample, began + within_s)
        return verdict.model_copy(update={"elapsed_s": loop.time() - began})

    return await asyncio.gather(*(one(sample) for sample in samples))


@pytest.mark.parametrize(("hanging_cpu", "asleep"), [(1.0, 0), (0.01, 4), (0.0, 4)])
async def test_programs_that_hang_are_priced_and_hold_up_none_that_do_not(hanging_cpu: float, asleep: int) -> None:
    programs = Programs(ScriptedSandbox(hanging_cpu=hanging_cpu), workers=2, asleep=asleep)
    verdicts = await together(programs, [HANGS] * 8 + [SAMPLE] * 4, within_s=20.0)
    hung, honest = verdicts[:8], verdicts[8:]
    assert {(verdict.outcome, verdict.score) for verdict in hung} == {(Outcome.INCORRECT, 0.0)}
    assert {verdict.outcome for verdict in honest} == {Outcome.CORRECT}
    assert max(verdict.elapsed_s for verdict in honest) < sorted(verdict.elapsed_s for verdict in hung)[4]
    assert (programs.running, programs.waiting) == (0, 0)


async def test_a_program_that_hung_leaves_the_rest_of_its_tests_to_those_that_wait() -> None:
    alone = (await together(Programs(ScriptedSandbox(), workers=1), [HANGS], within_s=20.0))[0]
    beside = (await together(Programs(ScriptedSandbox(), workers=1), [HANGS] * 2, within_s=20.0))[0]
    assert [test["status"] for test in alone.evidence["tests"]] == ["time_limit"] * 2  # type: ignore[index,union-attr,call-overload]
    assert [test["status"] for test in beside.evidence["tests"]] == ["time_limit", "suite_time"]  # type: ignore[index,union-attr,call-overload]


async def test_a_program_that_hung_is_priced_though_no_time_is_left_for_its_other_tests() -> None:
    verdict = (await together(Programs(ScriptedSandbox(), workers=1), [HANGS], within_s=1.0))[0]
    assert (verdict.outcome, verdict.score) == (Outcome.INCORRECT, 0.0)
    assert [test["status"] for test in verdict.evidence["tests"]] == ["time_limit", "suite_time"]  # type: ignore[index,union-attr,call-overload]


async def test_what_never_had_a_long_turn_is_no_doing_of_its_own() -> None:
    verdicts = await together(Programs(ScriptedSandbox(), workers=1), [HANGS] * 9, within_s=3.5)
    outcomes = [verdict.outcome for verdict in verdicts]
    assert set(outcomes) == {Outcome.INCORRECT, Outcome.TIMEOUT}
    assert outcomes == sorted(outcomes, key=lambda outcome: outcome is Outcome.TIMEOUT)
