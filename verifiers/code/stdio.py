"""Tests of kind ``stdio``: one run a test, its output compared here, on the host, or by a checker."""

from __future__ import annotations

from dataclasses import replace

from sandbox.base import Execution, Status, Workspace
from verifiers.apart import estimate_cpu_s, run_apart
from verifiers.code.checker import accepts, refuse_broken
from verifiers.code.output import compare_output, same_output
from verifiers.code.result import Result, TestStatus, compiler_said, translate_status
from verifiers.code.session import Session, content
from verifiers.code.shown import excerpt
from verifiers.code.suite_kinds import Stdio
from verifiers.code.syntax import does_not_parse

_AT_ONCE = 4_000
"""Bytes of output that are compared in the event loop: two thousand numbers, a few milliseconds."""


async def run_stdio(session: Session) -> None:
    """Adds a result for each test, in order."""
    suite = session.suite
    if suite.checker is not None:
        await refuse_broken(session, suite.checker)
    async with session.sandbox.open(session.program(), session.limits.of_a_test()) as workspace:
        compiled = workspace.compiled
        if compiled is not None and compiled.status is Status.COMPILE_ERROR:
            session.report.compile_output = compiler_said(compiled.stdout + compiled.stderr)
        for index, test in session.order_tests(suite.stdio, content):
            unreached = session.explain_skip()
            if unreached is not None:
                session.add(Result("stdio", index, test.name, unreached))
                continue
            session.add(await _one(session, workspace, index, test))


async def _one(session: Session, workspace: Workspace, index: int, test: Stdio) -> Result:
    limits = session.test_limits()
    expected = len(test.stdout.encode()) if test.stdout is not None else 0
    # an expected output beyond the limit is the caller's own choice of limits
    limits = replace(limits, output_bytes=max(limits.output_bytes, 2 * expected))
    execution = await workspace.run(test.stdin.encode(), limits)
    curtailed = limits.wall_s < session.limits.wall_s
    session.spend(execution.usage)
    status = translate_status(execution.status)
    if execution.status is Status.FINISHED:
        status = await _judged(session, test, execution)
    elif execution.status is Status.TIME_LIMIT and curtailed:
        status = TestStatus.SUITE_TIME
    elif execution.status is Status.NONZERO_EXIT and await does_not_parse(session):
        status = TestStatus.COMPILE_ERROR
    shown = _shown(test, execution) if session.shows and status is not TestStatus.PASSED else ""
    return Result("stdio", index, test.name, status, execution.usage.wall_s, shown)


async def _judged(session: Session, test: Stdio, execution: Execution) -> TestStatus:
    checker = session.suite.checker
    if checker is not None:
        accepted = await accepts(session, checker, test, execution.stdout)
        return TestStatus.PASSED if accepted else TestStatus.REJECTED
    assert test.stdout is not None
    arguments = (execution.stdout, test.stdout, session.comparison, session.tolerance)
    if len(execution.stdout) <= _AT_ONCE:
        same = same_output(*arguments)
    else:
        told = await run_apart(
            compare_output, *arguments, cpu_s=estimate_cpu_s(len(execution.stdout) + len(test.stdout))
        )
        session.left_s -= told.cpu_s
        if not told.whole:
            return TestStatus.OUTPUT_LIMIT
        same = told.values == [True]
    return TestStatus.PASSED if same else TestStatus.WRONG_OUTPUT


def _shown(test: Stdio, execution: Execution) -> str:
    parts: dict[str, str | bytes] = {
        "input": test.stdin,
        "expected": test.stdout or "",
        "got": execution.stdout,
        "standard error": execution.stderr,
    }
    return "\n".join(f"  {name}: {excerpt(text)}" for name, text in parts.items() if text)
