"""Tests of kinds ``assertions`` and ``files``: the tests' own process calls the program, which runs in another jail.

Each text of ``assertions`` is a whole test program over the program's names; ``files`` with ``command`` is a test
suite that imports ``solution``. With ``same_process`` assertions and program share one process: then a program can
forge its verdict, and the report says so. After a test that hangs, or a program that ended, the rest of the
assertions meets a fresh program; test files are run once.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from sandbox import harness
from sandbox.base import Execution, Program, SandboxFailure, Status, run
from sandbox.harness import TestResult
from trueward.authoring.verifier import Abstain
from verifiers.code.linked import run_linked
from verifiers.code.reported import read_report
from verifiers.code.result import Result, TestStatus, compiler_said, translate_status
from verifiers.code.session import Session
from verifiers.code.shown import excerpt
from verifiers.code.syntax import does_not_parse, parses

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


class WrongLanguage(Exception):
    """The tests are sound in another language than the one that the response chose, or left open."""


_UNLOADED = (harness.TestStatus.ERROR, harness.TestStatus.CHANNEL_CLOSED)
"""Statuses of tests before which the program may not have been loaded."""


_HELD = 0.1
"""A share of a test's time: so little may a host keep from a test that is ended for it."""

_TRIES = 3
_LEAST_S = 0.01


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

    @property
    def late(self) -> int:
        """How many tests were ended for their time."""
        return sum(result.status is harness.TestStatus.TIME_LIMIT for result in self.results)

    @property
    def held_s(self) -> float:
        """What the host kept from either."""
        return max(self.tests.usage.held_s, self.program.usage.held_s)

    @property
    def held_share(self) -> float:
        """The same as a part of the time that passed: 0 to 1."""
        return min(1.0, self.held_s / max(self.tests.usage.wall_s + self.tests.usage.held_s, _LEAST_S))


async def run_assertions(session: Session) -> None:
    """Adds a result for each assertion, in order."""
    if session.language not in SPLIT:
        await run_linked(session)
        return
    pending = session.order_tests(session.suite.assertions, str)
    while pending:
        unreached = session.explain_skip()
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
        if result.status is harness.TestStatus.BAD_TEST:
            await _refuse_language(session, text)
        status = _status(session, result, process)
        shown = f"  test: {excerpt(text)}\n{_said(result)}" if session.shows and not result.passed else ""
        session.add(Result("assertions", index, "", status, result.elapsed_s, shown))
        done += 1
        if session.stopped:
            break
    if not done:
        index, text = pending[0]
        session.add(Result("assertions", index, "", _ended(session, process), shown=f"  test: {excerpt(text)}"))
        done = 1
    return done


async def _refuse_language(session: Session, text: str) -> None:
    """Raises WrongLanguage for a test that is broken in the program's language alone, where no caller stated it."""
    if session.stated:
        return
    for other in sorted(SPLIT - {session.language}):
        if await parses(session, text, other):
            raise WrongLanguage(f"the tests are in {other}, the program is taken for {session.language}")


def _said(result: TestResult) -> str:
    return f"  {excerpt(result.detail or result.message)}"


async def run_files(session: Session) -> None:
    """Adds a result for each test that the command runs."""
    unreached = session.explain_skip()
    if unreached is not None:
        session.add(Result("files", 0, "", unreached))
        return
    suite = session.suite
    command = shlex.join(suite.argv)
    exposed = evaluates(content.decode(errors="replace") for content in suite.contents.values())
    session.report.forgeable = session.report.forgeable or exposed

    async def run_command(per_test_s: float) -> _Process:
        tests = harness.command_program(session.language, suite.contents, command, per_test_s)
        return await _met(session, tests, exposed=exposed)

    try:
        process = await _in_own_time(session, run_command)
    except harness.HarnessError as refusal:
        raise Abstain("bad_reference", f"the test files cannot be run: {refusal}") from refusal
    for index, result in enumerate(process.results):
        if result.status in _UNLOADED and not session.refused:
            await does_not_parse(session)
        status = _status(session, result, process)
        # what stands in brackets are the parameters of the test: hidden text
        name = result.name.partition("[")[0]
        shown = _said(result) if session.shows and not result.passed else ""
        session.add(Result("files", index, name[-200:], status, result.elapsed_s, shown))
    if not process.ended_well and all(result.passed for result in process.results):
        # tests may be left of which nothing is known
        session.add(Result("files", len(process.results), "", _ended(session, process)))


async def _process(session: Session, texts: Sequence[str]) -> _Process:
    stops, entry, language = session.params.stop_at_first_failure, session.suite.entry_point, session.language
    exposed = session.params.same_process or evaluates(texts)

    async def apart_from_it(per_test_s: float) -> _Process:
        tests = harness.assertions_program(language, texts, per_test_s, stops, entry)
        return await _met(session, tests, len(texts), exposed=exposed)

    async def in_its_process(per_test_s: float) -> _Process:
        program = harness.same_process_program(language, session.code, texts, per_test_s, stops, entry)
        execution = await run(session.sandbox, program, session.suite_limits())
        return _Process(await read_report(execution, len(texts), same_process=True), execution, execution)

    session.report.forgeable = session.report.forgeable or exposed
    return await _in_own_time(session, in_its_process if session.params.same_process else apart_from_it)


async def _in_own_time(session: Session, tested: Callable[[float], Awaitable[_Process]]) -> _Process:
    """Tests that are given so many seconds each, by the clock on the wall.

    Where the host kept some of them from a test that was ended, it is run again with as much more. What the host kept
    is known of the whole process only: it may all have been one test's, or, of several that were ended, a share of
    each. A test that was ended every time has had its own time where the host kept it no more than the whole process.
    Raises SandboxFailure for any other.
    """
    per_test_s = wall_s = session.limits.wall_s
    for _ in range(_TRIES):
        process = await tested(per_test_s)
        if not process.late or per_test_s - process.held_s / process.late >= (1 - _HELD) * wall_s:
            break
        own_s = per_test_s * (1 - process.held_share)
        kept = process.held_s / max(process.tests.usage.wall_s, _LEAST_S)
        per_test_s = wall_s + min(1.1 * kept * wall_s + _HELD * wall_s, 4 * process.held_s)
    else:
        if own_s < (1 - _HELD) * wall_s:
            raise SandboxFailure(f"the host kept {process.held_s:.1f} s from a test of {wall_s:g} s")
    session.spend(process.tests.usage, process.program.usage)
    return process


async def _met(session: Session, tests: Program, count: int | None = None, *, exposed: bool = False) -> _Process:
    """The tests' program against the candidate's, each in a jail of its own.

    ``exposed``: the tests run what the solution gives them, which may have removed their results.
    """
    candidate = harness.candidate_program(session.language, session.code)
    hurried = session.left_s < session.limits.wall_s
    ours, theirs = await session.sandbox.pair(tests, candidate, session.suite_limits())
    if theirs.status is Status.COMPILE_ERROR:
        session.report.compile_output = compiler_said(theirs.stdout + theirs.stderr)
    try:
        results = await read_report(ours, count)
    except SandboxFailure:
        begun_too_late = hurried and ours.status is Status.TIME_LIMIT
        removed_by_solution = exposed and ours.status is Status.FINISHED
        if not (begun_too_late or removed_by_solution):
            raise
        results = []
    return _Process(results, ours, theirs)


def _status(session: Session, result: TestResult, process: _Process) -> TestStatus:
    """Raises :class:`Abstain` for a test that is broken whatever the program does."""
    if result.status is harness.TestStatus.BAD_TEST:
        raise Abstain("bad_reference", f"a test of the reference is broken: {result.message}")
    if result.status is harness.TestStatus.UNSUPPORTED:
        raise Abstain("needs_same_process", f"a test does what works in one process alone: {result.message}")
    if session.refused:
        return TestStatus.COMPILE_ERROR
    status = _STATUSES.get(result.status) or translate_status(process.program.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status


def _ended(session: Session, process: _Process) -> TestStatus:
    """The status of a test of which there is no result: the program ended it, or exhausted the tests' process."""
    own_end = process.program.status in (Status.FINISHED, Status.STOPPED)
    status = translate_status(process.tests.status if own_end else process.program.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status


_EVALUATES = re.compile(
    r"(?<![\w.])(?:eval|exec|compile|__import__|new\s+Function)\s*\("
    r"|\b(?:pickle|marshal|shelve|dill|cloudpickle|runpy|subprocess|child_process)\b"
    r"|\bos\.(?:system|popen|exec\w+|spawn\w+)\b|\bvm\.\w"
)
"""What runs a text or bytes as code, in Python or JavaScript."""


def evaluates(texts: Iterable[str]) -> bool:
    """Whether any of these tests may run as code what the solution gives it (``assert eval(puzzle(24)) == 24``).

    By its words alone, so that no solution has a say in it. Such a text runs in the tests' own process and can do there
    what it likes, as if both shared one.
    """
    return any(_EVALUATES.search(text) is not None for text in texts)
