"""JavaScript against JavaScript, in two jails."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.base import Sandbox, run
from sandbox.harness import (
    Call,
    Instance,
    Result,
    TestResult,
    assertions_program,
    calls_program,
    candidate_program,
    encode_calls,
    read_results,
    results_of,
)
from sandbox.limits import Limits

LIMITS = Limits(wall_s=8.0, cpu_s=8.0, processes=64)


async def asserted(sandbox: Sandbox, solution: str, *tests: str, per_test_s: float = 3.0) -> list[TestResult]:
    """The result of each test."""
    tests_program = assertions_program("javascript", tests, per_test_s)
    ours, _ = await sandbox.pair(tests_program, candidate_program("javascript", solution), LIMITS)
    return read_results(ours)


async def statuses(sandbox: Sandbox, solution: str, *tests: str, per_test_s: float = 3.0) -> list[str]:
    return [str(result.status) for result in await asserted(sandbox, solution, *tests, per_test_s=per_test_s)]


async def called(sandbox: Sandbox, solution: str, calls: Sequence[Call | Instance]) -> list[Result]:
    """What each call gave."""
    execution = await run(sandbox, calls_program("javascript", solution), LIMITS, encode_calls(calls))
    return list(results_of(execution.stdout))
