"""Programs of judges, through the model lane: the sandbox's places, its failures, and the deadline."""

from __future__ import annotations

import asyncio

import pytest

from app.admission.demand import Demand
from app.lanes.model_source import NoModels
from app.lanes.models import ModelLane, ModelSession
from app.lanes.programs import Programs
from judges.base import Models, ModelUnavailable, ModelVerifier
from sandbox.base import Program, Sandbox, Status
from sandbox.limits import Limits
from tests.app.models.scripted import OneBackend, Scripted
from tests.app.path.scripted import ScriptedSandbox
from trueward.authoring.verifier import Task
from trueward.wire.verdict import Outcome, Verdict

PROGRAM = Program("bash", "echo 3")


class Runs(ModelVerifier):
    """Runs one program, and asks nobody."""

    name = "runs"

    @property
    def models(self) -> tuple[str, ...]:
        return ()

    async def execute(self, task: Task, models: Models) -> Verdict:
        execution = await models.run(PROGRAM, Limits())
        return Verdict.correct("ran") if execution.status is Status.FINISHED else Verdict.incorrect("failed")


def lane_of(sandbox: Sandbox | None, workers: int = 1) -> ModelLane:
    programs = None if sandbox is None else Programs(sandbox, workers)
    return ModelLane(NoModels(), OneBackend(Scripted()), 10, programs)


async def judged(lane: ModelLane, within_s: float = 5.0) -> Verdict:
    return await lane.judge(Runs(), "task", asyncio.get_running_loop().time() + within_s)


async def test_a_judge_s_program_runs_in_the_sandbox_lane() -> None:
    lane = lane_of(ScriptedSandbox())
    execution = await ModelSession(lane, Demand(), 1e9).run(PROGRAM, Limits())
    assert execution.stdout.strip() == b"3"
    assert (await judged(lane)).outcome is Outcome.CORRECT


@pytest.mark.parametrize("sandbox", [None, ScriptedSandbox(failures=9), ScriptedSandbox(supported=False)])
async def test_a_sandbox_that_fails_or_is_none_gives_no_score(sandbox: Sandbox | None) -> None:
    lane = lane_of(sandbox)
    with pytest.raises(ModelUnavailable):
        await ModelSession(lane, Demand(), 1e9).run(PROGRAM, Limits())
    verdict = await judged(lane_of(sandbox))
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "model_unavailable")


async def test_a_failure_of_the_sandbox_is_tried_again_once() -> None:
    assert (await judged(lane_of(ScriptedSandbox(failures=1)))).outcome is Outcome.CORRECT


async def test_a_sandbox_that_is_stuck_is_given_up_at_the_deadline_and_its_place_is_free() -> None:
    lane = lane_of(ScriptedSandbox(stuck=True))
    assert lane.programs is not None
    verdict = await judged(lane, within_s=0.2)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.TIMEOUT, None, "deadline")
    assert (lane.programs.running, lane.programs.waiting) == (0, 0)


async def test_judges_take_their_turns_at_the_places_of_the_sandbox() -> None:
    lane = lane_of(ScriptedSandbox(), workers=1)
    verdicts = await asyncio.gather(*(judged(lane) for _ in range(20)))
    assert {verdict.outcome for verdict in verdicts} == {Outcome.CORRECT}
