"""Tests of kinds ``assertions`` and ``files``: the tests' own process calls the program, which runs in another jail.

Each text of ``assertions`` is a whole test program over the program's names; ``files`` with ``command`` is a test
suite that imports ``solution``. With ``same_process`` assertions and program share one process: then a program can
forge its verdict, and the report says so. After a test that hangs, or a program that ended, the rest of the
assertions meets a fresh program; test files are run once.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox import harness
from sandbox.base import Execution, Program, SandboxFailure, Status, run
from sandbox.harness import TestResult
from trueward.verifier import Abstain
from verifiers.code.linked import run_linked
from verifiers.code.result import Result, TestStatus, compiler_said, ended
from verifiers.code.session import Session
from verifiers.code.shown import excerpt
from verifiers.code.syntax import does_not_parse

SPLIT = frozenset({"python", "javascript"})
"""Languages whose tests and programs can run in two processes."""

_STATUSES = {
    harness.TestStatus.PASSED: TestStatus.PASSED,
    harness.TestStatus.FAILED: TestStatus.FAILED,
    harness.TestStatus.ERROR: TestStatus.RAISED,
    harness.TestStatus.TIME_LIMIT: TestStatus.TIME_LIMIT,
    harness.TestStatus.NOT_PLAIN: TestStatus.NOT_PLAIN,
    harness.TestStatus.SKIPPED: TestStatus.SKIPPED,
}

_UNLOADED = (harness.TestStatus.ERROR, harness.TestStatus.CHANNEL_CLOSED)
"""Statuses of tests before which the program may not have been loaded."""


@dataclass(frozen=True, slots=True)
class _Process:
    """What one process of the tests reported, and how it and the program ended."""

    results: list[TestResult]
    tests: Execution
    program: Execution

    @property
    def ended_well(self) -> bool:
        """The tests' process came to its own end, and found tests unless the program was the hindrance."""
        unhindered = bool(self.results) or self.program.status in (Status.FINISHED, Status.STOPPED)
        return self.tests.status is Status.FINISHED and unhindered


async def run_assertions(session: Session) -> None:
    """Adds a result for each assertion, in order."""
    if session.language not in SPLIT:
        await run_linked(session)
        return
    pending = session.ordered(session.suite.assertions, str)
    while pending:
        unreached = session.unreached()
        if unreached is not None:
            for index, _ in pending:
                session.add(Result("assertions", index, "", unreached))
            return
        pending = pending[await _some(session, pending) :]


async def _some(session: Session, pending: Sequence[tuple[int, str]]) -> int:
    """Runs assertions in one process; how many have a result now: at least one, or the program does not compile."""
    process = await _process(session, [text for _, text in pending])
    done = 0
    for (index, text), result in zip(pending, process.results, strict=False):
        if result.status is harness.TestStatus.NOT_RUN:
            break
        if result.status in _UNLOADED and await does_not_parse(session):
            return 0
        status = _status(session, result, process)
        shown = (
            ""
            if status is TestStatus.PASSED
            else f"  test: {excerpt(text)}\n  {excerpt(result.detail or result.message)}"
        )
        session.add(Result("assertions", index, "", status, result.elapsed_s, shown))
        done += 1
        if session.stopped:
            break
    if not done:
        index, text = pending[0]
        session.add(Result("assertions", index, "", _ended(session, process), shown=f"  test: {excerpt(text)}"))
        done = 1
    return done


async def run_files(session: Session) -> None:
    """Adds a result for each test that the command runs."""
    unreached = session.unreached()
    if unreached is not None:
        session.add(Result("files", 0, "", unreached))
        return
    suite = session.suite
    per_test_s = session.limits.wall_s
    try:
        tests = harness.command_program(session.language, suite.contents, shlex.join(suite.argv), per_test_s)
    except harness.HarnessError as refusal:
        raise Abstain("bad_reference", f"the test files cannot be run: {refusal}") from refusal
    process = await _met(session, tests)
    for index, result in enumerate(process.results):
        if result.status in _UNLOADED and not session.refused:
            await does_not_parse(session)
        status = _status(session, result, process)
        # what stands in brackets are the parameters of the test: hidden text
        name = result.name.partition("[")[0]
        shown = "" if status is TestStatus.PASSED else f"  {excerpt(result.detail or result.message)}"
        session.add(Result("files", index, name[-200:], status, result.elapsed_s, shown))
    if not process.ended_well and all(result.passed for result in process.results):
        # tests may be left of which nothing is known
        session.add(Result("files", len(process.results), "", _ended(session, process)))


async def _process(session: Session, texts: Sequence[str]) -> _Process:
    per_test_s, stops = session.limits.wall_s, session.params.stop_at_first_failure
    entry, language = session.suite.entry_point, session.language
    if not session.params.same_process:
        return await _met(session, harness.assertions_program(language, texts, per_test_s, stops, entry), len(texts))
    session.report.forgeable = True
    program = harness.same_process_program(language, session.code, texts, per_test_s, stops, entry)
    execution = await run(session.sandbox, program, session.suite_limits())
    session.spend(execution.usage)
    return _Process(harness.read_results(execution, len(texts), same_process=True), execution, execution)


async def _met(session: Session, tests: Program, count: int | None = None) -> _Process:
    """The tests' program against the candidate's, each in a jail of its own."""
    candidate = harness.candidate_program(session.language, session.code)
    hurried = session.left_s < session.limits.wall_s
    ours, theirs = await session.sandbox.pair(tests, candidate, session.suite_limits())
    session.spend(ours.usage, theirs.usage)
    if theirs.status is Status.COMPILE_ERROR:
        session.report.compile_output = compiler_said(theirs.stdout + theirs.stderr)
    try:
        results = harness.read_results(ours, count)
    except SandboxFailure:
        if not (hurried and ours.status is Status.TIME_LIMIT):
            raise
        results = []  # earlier tests left the tests' process too little time to begin: no failure of ours
    return _Process(results, ours, theirs)


def _status(session: Session, result: TestResult, process: _Process) -> TestStatus:
    """Raises :class:`Abstain` for a test that is broken whatever the program does."""
    if result.status is harness.TestStatus.BAD_TEST:
        raise Abstain("bad_reference", f"a test of the reference is broken: {result.message}")
    if result.status is harness.TestStatus.UNSUPPORTED:
        raise Abstain("needs_same_process", f"a test does what works in one process alone: {result.message}")
    if session.refused:
        return TestStatus.COMPILE_ERROR
    status = _STATUSES.get(result.status) or ended(process.program.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status


def _ended(session: Session, process: _Process) -> TestStatus:
    """The status of a test of which there is no result: the program ended it, or exhausted the tests' process."""
    own_end = process.program.status in (Status.FINISHED, Status.STOPPED)
    status = ended(process.tests.status if own_end else process.program.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status
