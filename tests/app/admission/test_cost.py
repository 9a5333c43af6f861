"""What judging costs is learned from verdicts; who would surely be late is told when to come back."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from app.admission.cost import Costs
from app.admission.slots import Slots
from app.lanes.lanes import Lanes
from app.lanes.programs import Programs
from app.settings import Settings
from sandbox.base import Sandbox
from trueward.wire.verdict import Verdict
from verifiers.code import CodeVerifier
from verifiers.code.params import CodeParams
from verifiers.registry import create

CODE = CodeVerifier(CodeParams())
MATH = create("math", {})


def learned(reached: bool, seconds: float) -> Costs:
    costs = Costs()
    for _ in range(200):
        costs.record_reach(CODE, reached=reached)
        costs.record_verdict(CODE, Verdict.correct("all_passed", elapsed_s=seconds))
    return costs


def test_an_estimate_is_the_share_that_reaches_the_lane_times_what_one_takes_there() -> None:
    assert learned(True, 2.0).estimate_cost_s([(CODE, 10), (MATH, 5)]) == pytest.approx(20.0, rel=0.01)
    assert learned(False, 2.0).estimate_cost_s([(CODE, 10)]) == pytest.approx(0.0, abs=0.01)


def test_what_is_unknown_is_thought_to_be_cheap() -> None:
    assert Costs().estimate_cost_s([(CODE, 4096), (MATH, 4096)]) == 0.0


def test_what_was_not_judged_tells_nothing_of_its_cost() -> None:
    costs = learned(True, 2.0)
    costs.record_verdict(CODE, Verdict.timeout("deadline", "late"))
    costs.record_verdict(CODE, Verdict.error("shutdown", "stopped"))
    assert costs.item_s(CODE) == pytest.approx(2.0, rel=0.01)


async def test_who_would_surely_be_late_is_told_by_how_much(tmp_path: object) -> None:
    lanes = Lanes(Settings(sandbox="off"))
    lanes.costs = learned(True, 2.0)
    places = Slots(2)
    lanes.programs = Programs(cast(Sandbox, None), 2, lanes.costs)
    lanes.programs._places = places
    places.running = 2
    for number in range(40):
        places.turns.append(asyncio.get_running_loop().create_future(), None, f"r{number}", 2.0)
    assert lanes.backlog_s([CODE]) == 40.0
    assert lanes.backlog_s([MATH]) == 0.0
    assert lanes.estimate_lateness_s([(CODE, 1)], None, 30.0) == pytest.approx(10.0, rel=0.01)
    assert lanes.estimate_lateness_s([(CODE, 1)], None, 60.0) == 0.0
    assert lanes.estimate_lateness_s([(CODE, 1)], "another project", 30.0) == 0.0
    assert lanes.estimate_lateness_s([(MATH, 100)], None, 30.0) == 0.0
