"""One suite against one solution, each in a jail of its own; and what the suite's text shows.

The suite is the policy's program, the solution the caller's: the suite meets it as a proxy alone, in another process,
which does not tell how the solution is written. What the suite's process writes of its own results is a claim, and
may be broken.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import JsonValue

from sandbox import harness
from sandbox.base import Execution, Program, Sandbox, Status, Unsupported, run
from sandbox.limits import Limits
from verifiers.code.reported import read_report
from verifiers.unit_tests import coverage

Runner = Literal["plain", "pytest"]

_MODULE = "test_suite.py"
_READER = Path(__file__).with_name("static.py").read_text(encoding="utf-8")


class Ran(NamedTuple):
    """How one run of a suite ended; ``reached`` is the solution's report of its lines."""

    passed: bool
    status: str
    reached: bytes


class Static(NamedTuple):
    """What the text of a suite shows."""

    syntax_error: str | None
    tests: list[str]
    smells: dict[str, list[str]]


async def inspect(suite: str, sandbox: Sandbox, limits: Limits) -> Static:
    """Reads the suite's text, in the sandbox: hostile nesting may take the reader down."""
    execution = await run(sandbox, Program("python", _READER), limits, suite.encode("utf-8", "replace"))
    if execution.status is not Status.FINISHED:
        return Static(f"the text cannot be read: {execution.status}", [], {})
    found: dict[str, JsonValue] = json.loads(execution.stdout)
    return Static(**found)  # type: ignore[arg-type]  # our own program's report, which the suite did not run in


async def meet(suite: str, solution: str, runner: Runner, sandbox: Sandbox, limits: Limits) -> Ran:
    """Runs the suite against the solution."""
    tests = _program(suite, runner, limits.wall_s)
    candidate = replace(harness.candidate_program("python", solution, sealed=True), fetch=(coverage.FILE,))
    first, second = await sandbox.pair(tests, candidate, replace(limits, wall_s=limits.wall_s + 1.0))
    status, passed = await _outcome(first)
    return Ran(passed, status, second.files.get(coverage.FILE, b""))


async def loads(solution: str, sandbox: Sandbox, limits: Limits) -> bool:
    """Whether the solution loads at all: a test of our own that asks nothing of it passes."""
    tests = harness.assertions_program("python", ["import solution"], limits.wall_s)
    first, _ = await sandbox.pair(tests, harness.candidate_program("python", solution), limits)
    return all(result.passed for result in await read_report(first))


def _program(suite: str, runner: Runner, seconds: float) -> Program:
    if runner == "pytest":
        return harness.command_program("python", {_MODULE: suite.encode()}, f"pytest {_MODULE}", seconds, judged=True)
    return harness.assertions_program("python", [suite], seconds, judged=True)


async def _outcome(execution: Execution) -> tuple[str, bool]:
    """How the suite's own process says that it ended, and whether all of it passed."""
    # the suite can write into its own report
    results = await read_report(execution, same_process=True)
    if any(result.status == "unsupported" for result in results):
        return "unsupported", False
    failed = next((result for result in results if not result.passed and result.status != "skipped"), None)
    if failed is not None:
        return str(failed.status), False
    if not any(result.passed for result in results):
        return "nothing_ran", False
    return "passed", True


async def require_pytest(solution: str, sandbox: Sandbox, limits: Limits) -> None:
    """Raises Unsupported where a suite of our own finds no pytest; a suite of the policy's may only say so."""
    ran = await meet("def test_nothing(): pass", solution, "pytest", sandbox, limits)
    if ran.status == "unsupported":
        raise Unsupported("this sandbox's Python finds no pytest")
