"""A program that hangs gives its place up; one that the host kept from running has its time anew."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import JsonValue

from sandbox.base import Execution, Program, SandboxFailure
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.verifiers.code.judging import fenced, judged, statuses

pytestmark = pytest.mark.asyncio(loop_scope="module")

HANGS = "import time\ndef f(n):\n    while n == 2: time.sleep(1)\n    return n\n"
READS = HANGS + "print(f(int(input())))"
SQUARES: JsonValue = [{"stdin": f"{n}", "stdout": f"{n}"} for n in (1, 2, 3, 4)]
INTERACTOR: JsonValue = {"language": "python", "source": "n = open('input.txt').read()\nprint(n)\nassert input() == n"}
KINDS: dict[str, tuple[str, JsonValue]] = {
    "stdio": (READS, {"stdio": SQUARES}),
    "calls": (HANGS, {"calls": [{"function": "f", "args": [n], "expected": n} for n in (1, 2, 3, 4)]}),
    "assertions": (HANGS, {"assertions": [f"assert f({n}) == {n}" for n in (1, 2, 3, 4)]}),
    "interactive": (
        READS,
        {"interactive": {"interactor": INTERACTOR, "tests": [{"input": f"{n}"} for n in (1, 2, 3, 4)]}},
    ),
}


class Wanted(LocalSandbox):
    """Others wait for it."""

    asked: list[float]

    def spares(self, seconds: float) -> bool:
        self.asked = [*getattr(self, "asked", []), seconds]
        return False


@pytest.mark.parametrize(("code", "reference"), KINDS.values(), ids=KINDS)
async def test_what_a_program_that_hung_has_not_reached_is_left(code: str, reference: JsonValue) -> None:
    sandbox = Wanted()
    try:
        verdict = await judged(sandbox, fenced(code), reference)
    finally:
        await sandbox.close()
    assert statuses(verdict) == ["passed", "time_limit", "suite_time", "suite_time"]
    assert (verdict.outcome, verdict.score) == ("partial", 0.25)
    assert [4.0 < seconds < 5.0 for seconds in sandbox.asked] == [True]


async def test_a_program_that_does_not_hang_is_never_asked_for_its_place() -> None:
    sandbox = Wanted()
    try:
        for code, reference in KINDS.values():
            verdict = await judged(sandbox, fenced(code.replace("n == 2", "n == 5")), reference)
            assert verdict.outcome == "correct"
    finally:
        await sandbox.close()
    assert not hasattr(sandbox, "asked")


class Busy(LocalSandbox):
    """Its host kept both of a pair from running for so long, in each pair that takes some time, or for all but
    ``own_s``, or for that share of it."""

    held_s = 0.0
    own_s = 0.0
    share = 0.0
    pairs = 0

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        self.pairs += 1
        one, two = await super().pair(first, second, limits)
        return self._kept(one), self._kept(two)

    def _kept(self, execution: Execution) -> Execution:
        took_s = execution.usage.wall_s
        if took_s < 0.3:
            return execution
        held_s = took_s - self.own_s if self.own_s else self.held_s + self.share * took_s
        return replace(execution, usage=replace(execution.usage, wall_s=took_s - held_s, held_s=held_s))


SLOW = "import time\ndef f(n):\n    time.sleep(1.3)\n    return n\n"
ASSERTED: JsonValue = {"assertions": ["assert f(1) == 1"]}


@pytest.mark.parametrize(
    ("held_s", "code", "outcome", "pairs"),
    [
        (0.0, SLOW, "incorrect", 1),
        (0.05, SLOW, "incorrect", 1),
        (0.5, SLOW, "correct", 2),
        (0.5, HANGS, "incorrect", 2),
    ],
    ids=["a slow one", "hardly kept", "kept from running", "a hanging one"],
)
async def test_a_test_has_its_time_less_what_the_host_kept(held_s: float, code: str, outcome: str, pairs: int) -> None:
    sandbox = Busy()
    sandbox.held_s = held_s
    try:
        verdict = await judged(sandbox, fenced(code.replace("n == 2", "n == 1")), ASSERTED)
    finally:
        await sandbox.close()
    assert (verdict.outcome, sandbox.pairs) == (outcome, pairs)


@pytest.mark.quiet
async def test_of_several_that_hang_one_at_least_lost_its_share_alone() -> None:
    sandbox = Busy()
    sandbox.share = 0.5
    tests = (
        "import pytest\nfrom solution import f\n\n@pytest.mark.parametrize('n', [2, 3, 4])\ndef test_f(n):\n    f(2)\n"
    )
    try:
        verdict = await judged(
            sandbox, fenced(HANGS), {"files": {"test_f.py": tests}, "command": "pytest"}, {"limits": {"wall_s": 0.5}}
        )
    finally:
        await sandbox.close()
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


@pytest.mark.quiet
async def test_a_host_that_lets_a_test_never_run_is_no_doing_of_the_program() -> None:
    sandbox = Busy()
    sandbox.own_s = 0.2
    limits: JsonValue = {"wall_s": 0.5, "suite_s": 30.0}
    try:
        with pytest.raises(SandboxFailure, match="the host kept"):
            await judged(sandbox, fenced(HANGS.replace("n == 2", "n == 1")), ASSERTED, {"limits": limits})
    finally:
        await sandbox.close()
