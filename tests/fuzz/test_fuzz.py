"""No response buys a null where another is judged: some fuzzed responses; ``make fuzz`` is the long form."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import ClassVar

import pytest

from app.lanes.lanes import Lanes
from tests.fuzz.run import fuzz, fuzzed_lanes
from tests.fuzz.tasks import Task, sound_tasks
from trueward.authoring.verifier import Abstain, SampleVerifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

NAMES = [point.name for point in registry.BUILT_INS]
_TASKS, _RESPONSES = 4, 48
_FEWER = {"code": 16, "sql": 16, "unit_tests": 8, "tooled": 16}
"""Of those that run a program for each response."""


class Weak(SampleVerifier):
    """Crashes at brackets, and withholds its verdict of what has a digit: what the fuzzing is to find."""

    name: ClassVar[str] = "weak"

    def verify_one(self, sample: Sample) -> Verdict:
        if "[" in sample.response_text:
            raise KeyError("[")
        if "7" in sample.response_text:
            raise Abstain("sevens", "seven is not judged")
        return Verdict.incorrect("no")


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def lanes(runner: asyncio.Runner) -> Iterator[Lanes]:
    opened = fuzzed_lanes()
    yield runner.run(opened.__aenter__())
    runner.run(opened.__aexit__(None, None, None))


@pytest.mark.parametrize("name", NAMES)
def test_no_response_buys_a_null_or_crashes_a_verifier(name: str, runner: asyncio.Runner, lanes: Lanes) -> None:
    tasks = runner.run(sound_tasks(lanes, name, _TASKS))
    assert tasks
    tally = runner.run(fuzz(lanes, name, tasks, "suite", count=_FEWER.get(name, _RESPONSES)))
    assert not tally.examples, "\n".join(tally.examples)
    assert len(tally.outcomes) > 1 or name in ("reward_model", "likelihood", "length", "repetition", "process_reward")


def test_a_verifier_that_crashes_or_withholds_is_found(runner: asyncio.Runner, lanes: Lanes) -> None:
    task = Task(Weak(), Sample(reference="r"), [], ["seven [7]"])
    tally = runner.run(fuzz(lanes, "weak", [task], "suite", count=64))
    assert set(tally.crashes) == {"unjudgeable_response"}
    assert set(tally.nulls) == {"sevens"}
    assert sum(tally.outcomes.values()) == tally.responses == 64
