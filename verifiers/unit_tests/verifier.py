"""``unit_tests``: is the response a good test suite?

A good one can be parsed and runs (valid), passes on the reference's solution (correct), and rejects wrong programs,
the reference's mutants (kill). The score is ``valid * correct * (a * coverage + (1 - a) * kill)`` with ``a`` the
parameter ``coverage_weight``, by default 0: the share of mutants killed alone. With ``check: static`` nothing of the
suite is run: it passes where it has tests and none of the listed smells (after Steenhoek et al., arXiv 2310.02368;
experimental).

A suite may claim what it likes of its own run, so it is made to gain nothing by it: it meets each program through a
proxy, in another process; a suite that always fails fails on the solution; one that fails by chance, or by the clock,
is caught by ``repeats``: the solution has to pass, and a mutant to fail, each time, in an order that no suite knows.
What it meets is sealed: it does what it is asked to and does not tell how it is written, for a suite that compares its
code with a solution that the policy knows would reject every mutant without testing one. All programs are given without
comments and in one layout besides.

Python alone. Not covered: names and docstrings of the programs are visible to a suite, so mutants should keep them; a
suite that reaches into the solution's process can claim lines that it did not run (``forgeable``).
"""

from __future__ import annotations

import ast
import asyncio
import json
import time
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple, NotRequired

from pydantic import Field, JsonValue, with_config
from typing_extensions import TypedDict

from sandbox.base import Sandbox
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Example, Params, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.code.block import Choice, code
from verifiers.code.params import CodeLimits, Level
from verifiers.extract import NoAnswer
from verifiers.fields import fields
from verifiers.legible import legible, shorten
from verifiers.sandboxed import SandboxVerifier
from verifiers.unit_tests import coverage
from verifiers.unit_tests.suite import Runner, Static, inspect, loads, meet, require_pytest

MOST_MUTANTS = 100
LONGEST = 2_000_000
"""Characters of a reference's programs together."""


class UnitTestsParams(Params):
    check: Literal["kill", "static"] = Field(
        default="kill", description="`kill`: the suite is run; `static`: its text alone is judged"
    )
    runner: Runner = Field(
        default="plain",
        description="`plain`: functions `test...`, unittest's cases and bare assertions, with the standard library "
        "alone; `pytest`: the service's own",
    )
    coverage_weight: float = Field(
        default=0.0, ge=0, le=1, description="weight of the share of the solution's lines that the suite runs"
    )
    repeats: int = Field(
        default=2,
        ge=1,
        le=5,
        description="runs of each program: the solution has to pass, a mutant to fail, every time",
    )
    block: Choice = Field(
        default="last", description="which of several code blocks is the suite, as in the verifier `code`"
    )
    limits: CodeLimits = Field(
        default=CodeLimits(suite_s=60.0),
        description="bounds of one run of the suite (`wall_s`, ...) and of all of them together (`suite_s`); a mutant "
        "that is not reached counts as not killed",
    )
    feedback: Level = Field(
        default="status",
        description="what the verdict's feedback tells: nothing (`none`), the reason (`status`), or also the counts "
        "and smells (`redacted`, `full`)",
    )


class Suite(NamedTuple):
    """What is run, against what; equal ones are run once."""

    text: str
    solution: str
    mutants: tuple[str, ...]


@with_config(extra="forbid")
class UnitTestsReference(TypedDict):
    """As it is sent; or as the text of its JSON."""

    solution: Text
    mutants: NotRequired[list[Text]]


class UnitTestsVerifier(SandboxVerifier[UnitTestsParams]):
    name: ClassVar[str] = "unit_tests"
    version: ClassVar[str] = "6"
    summary: ClassVar[str] = "A generated test suite: passes the solution, kills the mutants; or static quality"
    scale: ClassVar[Scale] = "graded"
    Reference: ClassVar[Any] = UnitTestsReference | Text
    Params: ClassVar[type[Params]] = UnitTestsParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response="```python\nfrom solution import half\n\ndef test_even():\n    assert half(4) == 2\n\n"
                "def test_odd():\n    assert half(3) == 1.5\n```",
                reference={
                    "solution": "def half(n):\n    return n / 2\n",
                    "mutants": ["def half(n):\n    return n // 2\n", "def half(n):\n    return n\n"],
                },
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(
                response="```python\nfrom solution import half\n\ndef test_even():\n    assert half(4) == 2\n```",
                reference={
                    "solution": "def half(n):\n    return n / 2\n",
                    "mutants": ["def half(n):\n    return n // 2\n", "def half(n):\n    return n\n"],
                },
            ),
            outcome="partial",
        ),
        Example(
            sample=Sample(
                response="```python\nimport sys\nsys.exit(1)\n```",
                reference={"solution": "def half(n):\n    return n / 2\n", "mutants": ["def half(n):\n    return n\n"]},
            ),
            outcome="invalid",
        ),
        Example(
            sample=Sample(
                response="```python\nfrom solution import half\n\ndef test_even():\n    if half(4):\n"
                "        assert half(4) == 2\n```",
                reference={"solution": "def half(n):\n    return n / 2\n"},
            ),
            params={"check": "static"},
            outcome="incorrect",
        ),
    )

    @property
    def limit_s(self) -> float:
        return self.params.limits.wall_s

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        if len(sample.references) != 1:
            raise Abstain("reference_type", "a suite is judged against one reference, not several")
        solution, mutants = _programs(sample.references[0], needs_mutants=self.params.check == "kill")
        suite = code(sample, "python", self.params.block)
        if isinstance(suite, NoAnswer):
            return Verdict.invalid(suite.reason_code, suite.reason)
        return Suite(legible(suite.text), solution, mutants)

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        assert isinstance(task, Suite)
        limits = self.params.limits.of_a_test()
        found = await inspect(task.text, sandbox, limits)
        evidence: dict[str, JsonValue] = {"tests": len(found.tests), "smells": json.loads(json.dumps(found.smells))}
        if found.syntax_error is not None:
            return self._told(Verdict.invalid("syntax_error", shorten(found.syntax_error), evidence=evidence))
        if not found.tests:
            return self._told(Verdict.invalid("no_tests", "there is no test and no assertion", evidence=evidence))
        if self.params.check == "static":
            return self._told(_static(found, evidence))
        try:
            alike = await asyncio.to_thread(_alike, task)
            return self._told(await self._killing(alike, sandbox, limits, evidence))
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)

    async def _killing(self, task: Suite, sandbox: Sandbox, limits: Limits, evidence: dict[str, JsonValue]) -> Verdict:
        solution, lines = _instrumented(task.solution) if self.params.coverage_weight else (task.solution, frozenset())
        covered = 1.0
        mutants = _Mutants(task, self.params.repeats, self.params.limits.suite_s)
        for between in mutants.rounds:
            ran = await meet(task.text, solution, self.params.runner, sandbox, limits)
            if not ran.passed:
                if ran.status == "unsupported":
                    await require_pytest(task.solution, sandbox, limits)
                if not await loads(task.solution, sandbox, limits):
                    return Verdict.abstained("reference_unparsable", "the reference's solution cannot be loaded")
                reason = f"the suite does not pass on the right solution: {ran.status}"
                return Verdict.incorrect("fails_solution", reason, evidence=evidence)
            covered = min(covered, coverage.share(ran.reached, lines))
            for index in filter(mutants.asks_for, between):
                ran = await meet(task.text, task.mutants[index], self.params.runner, sandbox, limits)
                mutants.note(index, passed=ran.passed)
        killed = mutants.killed
        kill = len(killed) / len(task.mutants)
        evidence |= {"killed": [*killed], "mutants": len(task.mutants), "kill": kill}
        weight = self.params.coverage_weight
        if weight:
            evidence |= {"coverage": covered, "forgeable": True}
        score = suite_score(valid=True, correct=True, coverage=covered, kill=kill, a=weight)
        said = f"{len(killed)} of {len(task.mutants)} mutants are rejected"
        if score == 1.0:
            return Verdict.correct("kills_all", said, evidence=evidence)
        if not killed and not weight:
            return Verdict.incorrect("kills_none", said, evidence=evidence)
        return Verdict.partial(score, "kills_some" if killed else "kills_none", said, evidence=evidence)

    def _told(self, verdict: Verdict) -> Verdict:
        """The verdict with the feedback that the level allows."""
        level = self.params.feedback
        if level == "none" or verdict.outcome.missing:
            return verdict
        said = f"{verdict.outcome}: {verdict.reason_code}"
        if level != "status":
            smells = verdict.evidence.get("smells")
            said += f"\n{verdict.reason}" + (f"\nsmells: {json.dumps(smells)}" if smells else "")
        return verdict.model_copy(update={"feedback": said[:4000]})


class _Mutants:
    """Which mutants every run rejects, and in which order all are run, as far as the time for them goes.

    The first run is the solution's, for a suite that does not pass on it is judged. All others are shuffled: a suite
    that passes while it is early and fails later, by the clock, would else pass on the solution and reject every
    mutant. The order is that of the task, so that a verdict can be computed again; no suite knows the mutants that
    it comes from.
    """

    def __init__(self, task: Suite, repeats: int, seconds: float) -> None:
        self._left = [repeats] * len(task.mutants)
        self._seconds = seconds
        self._end: float | None = None
        solution = -1
        runs = [*range(len(task.mutants)), solution] * repeats
        runs.remove(solution)
        Random("\0".join((task.solution, *task.mutants))).shuffle(runs)
        self.rounds: list[list[int]] = [[]]
        """After each run of the solution, the mutants that are run before the next one."""
        for index in runs:
            if index == solution:
                self.rounds.append([])
            else:
                self.rounds[-1].append(index)

    @property
    def killed(self) -> list[int]:
        return [index for index, left in enumerate(self._left) if not left]

    def asks_for(self, index: int) -> bool:
        """Whether one more run of a mutant may decide about it; the time for all begins with the first of them."""
        if self._end is None:
            self._end = time.monotonic() + self._seconds
        return self._left[index] > 0 and time.monotonic() < self._end

    def note(self, index: int, *, passed: bool) -> None:
        """A mutant's run: one that passes once is never killed."""
        self._left[index] = -1 if passed else self._left[index] - 1


def _static(found: Static, evidence: dict[str, JsonValue]) -> Verdict:
    if not found.smells:
        return Verdict.correct("no_smells", "every test asserts something and has no smell", evidence=evidence)
    return Verdict.incorrect("smells", f"the tests have smells: {', '.join(sorted(found.smells))}", evidence=evidence)


def _instrumented(solution: str) -> tuple[str, frozenset[int]]:
    try:
        return coverage.instrument(solution)
    except (SyntaxError, ValueError, RecursionError) as failure:
        raise Abstain("reference_unparsable", f"the solution cannot be parsed: {str(failure)[:200]}") from failure


def _programs(value: JsonValue, *, needs_mutants: bool) -> tuple[str, tuple[str, ...]]:
    """The reference's solution and its different mutants. Raises :class:`Abstain`."""
    found = fields(value, UnitTestsReference)
    solution, mutants = found.get("solution"), found.get("mutants", [])
    if not isinstance(solution, str) or not isinstance(mutants, list):
        raise Abstain("reference_type", "a reference's solution is a text, its mutants a list of texts")
    if not all(isinstance(mutant, str) for mutant in mutants):
        raise Abstain("reference_type", "a mutant is a text")
    different = tuple(mutant for mutant in dict.fromkeys(map(str, mutants)) if mutant.strip() != solution.strip())
    if len(different) > MOST_MUTANTS or len(solution) + sum(map(len, different)) > LONGEST:
        raise Abstain("reference_too_large", f"there are more than {MOST_MUTANTS} mutants or {LONGEST} characters")
    if needs_mutants and not different:
        raise Abstain("no_mutants", "the reference has no mutant that differs from its solution")
    return legible(solution), tuple(map(legible, different))


def _alike(task: Suite) -> Suite:
    """The same with the programs laid out alike. Raises :class:`Abstain` where the mutants differ in nothing else."""
    solution = _laid_out(task.solution)
    mutants = tuple(mutant for mutant in map(_laid_out, task.mutants) if mutant != solution)
    if not mutants:
        raise Abstain("no_mutants", "the mutants differ from the solution in comments and layout alone")
    return task._replace(solution=solution, mutants=tuple(dict.fromkeys(mutants)))


def _laid_out(program: str) -> str:
    """A program without comments, in the layout that all of them have; as it stands where it cannot be parsed."""
    try:
        return ast.unparse(ast.parse(program))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return program


def suite_score(*, valid: bool, correct: bool, coverage: float, kill: float, a: float) -> float:
    """The reward of generated unit tests: ``r = valid * correct * (a * coverage + (1 - a) * kill)``.

    In [0, 1], as ``coverage``, ``kill`` and the weight ``a`` of coverage are; ``a = 0``: the kill rate alone.
    """
    return valid * correct * (a * coverage + (1 - a) * kill)
