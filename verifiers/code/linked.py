"""Assertions in languages whose tests cannot run in a process of their own: each is linked into the program.

The text of a test is put after the program's and both are compiled and run as one; exit code 0 is a pass. The
program can end the test before it begins, so such a verdict can be forged, and says so. A test that does not
compile with the program is not passed: which of both is at fault cannot be told.
"""

from __future__ import annotations

from sandbox.base import Execution, Status
from verifiers.code.result import Result, TestStatus, compiler_said, translate_status
from verifiers.code.session import Session
from verifiers.code.shown import excerpt


async def run_linked(session: Session) -> None:
    """Adds a result for each assertion, in order."""
    report = session.report
    report.forgeable = True
    compiler_output = ""
    results: list[Result] = []
    for index, text in session.order_tests(session.suite.assertions, str):
        status = session.explain_skip()
        shown, elapsed_s = "", None
        if status is None:
            execution = await _run(session, text)
            status, elapsed_s = _status(execution, session), execution.usage.wall_s
            if status is TestStatus.COMPILE_ERROR:
                compiler_output = compiler_output or compiler_said(execution.stdout + execution.stderr)
            if session.shows and status is not TestStatus.PASSED:
                shown = f"  test: {excerpt(text)}\n  standard error: {excerpt(execution.stderr)}"
        results.append(Result("assertions", index, "", status, elapsed_s, shown))
        session.add(results[-1])
    if all(result.status in (TestStatus.COMPILE_ERROR, TestStatus.NOT_RUN) for result in results):
        report.compile_output = compiler_output


async def _run(session: Session, text: str) -> Execution:
    async with session.sandbox.open(session.program(text), session.test_limits()) as workspace:
        if workspace.compiled is not None and workspace.compiled.status is Status.COMPILE_ERROR:
            return workspace.compiled
        execution = await workspace.run()
    session.spend(execution.usage)
    return execution


def _status(execution: Execution, session: Session) -> TestStatus:
    if execution.status is Status.FINISHED:
        return TestStatus.PASSED
    status = translate_status(execution.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status
