"""Tests of kind ``calls``: functions and methods called in the program's process, their results compared here.

The program is given names and arguments alone; the expected values never leave the host. All calls go to one process,
one after the other, each with its own time limit; after one that hangs, crashes or ends the process, the rest goes to
a fresh one. Results are read and compared in a process that can be killed; one that costs more than a result may is
``output_limit``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sandbox import harness
from sandbox.base import Execution, Status, run
from sandbox.harness.python.trueward_harness.limits import Unencodable
from sandbox.languages import languages
from trueward.authoring.verifier import Abstain
from verifiers.apart import estimate_cpu_s, run_apart
from verifiers.code.literal import value
from verifiers.code.result import Result, TestStatus, compiler_said, translate_status
from verifiers.code.returned import Anything, Read, compare_results, read
from verifiers.code.session import Session, content
from verifiers.code.shown import excerpt
from verifiers.code.suite_kinds import AnyCall, Call
from verifiers.code.syntax import does_not_parse


async def run_calls(session: Session) -> None:
    """Adds a result for each test, in order."""
    pending = session.order_tests(session.suite.calls, content)
    while pending:
        unreached = session.explain_skip()
        if unreached is not None:
            for index, test in pending:
                session.add(Result("calls", index, test.name, unreached))
            return
        pending = pending[await _process(session, pending) :]


async def _process(session: Session, pending: Sequence[tuple[int, AnyCall]]) -> int:
    """Runs the tests in one process; how many of them have a result now: at least one, or none was compiled."""
    execution = await _run(session, [test for _, test in pending])
    if execution.status is Status.COMPILE_ERROR:
        session.report.compile_output = compiler_said(execution.stdout + execution.stderr)
        return 0
    found = await _read(session, [test for _, test in pending], execution)
    if found[0].status is TestStatus.RAISED and await does_not_parse(session):
        return 0
    done = 0
    for (index, test), read_one in zip(pending, found, strict=False):
        status = read_one.status or (_ended(session, execution) if read_one.cut_off else TestStatus.PASSED)
        shown = _shown(test, read_one) if session.shows and status is not TestStatus.PASSED else ""
        session.add(Result("calls", index, test.name, status, shown=shown))
        done += 1
        if session.stopped:
            break
    return done


async def _read(session: Session, tests: Sequence[AnyCall], execution: Execution) -> list[Read]:
    """What became of the tests up to the first whose results are cut off or cost too much: of at least one."""
    expected = [_expected(test) for test in tests]
    tolerance = session.tolerance if session.comparison == "floats" else None
    stdout = execution.stdout
    told = await run_apart(
        compare_results, stdout, expected, tolerance, session.shows, cpu_s=estimate_cpu_s(len(stdout))
    )
    session.left_s -= told.cpu_s  # what it returned made reading slow
    found = [read(value) for value in told.values]
    return found if told.whole else [*found, Read(TestStatus.OUTPUT_LIMIT, True, "")]


async def _run(session: Session, tests: Sequence[AnyCall]) -> Execution:
    limits = session.suite_limits()
    # results may be as long as what is expected, whatever the limit on output says
    expected = 4 * sum(len(content(test)) for test in tests)
    silence_s = session.limits.wall_s + languages()[session.language].startup_s
    limits = replace(limits, silence_s=silence_s, output_bytes=limits.output_bytes + expected)
    program = harness.calls_program(session.language, session.code)
    try:
        requests = harness.encode_calls([_request(test) for test in tests])
    except Unencodable as refusal:
        raise Abstain("bad_reference", f"the arguments of a call cannot be sent: {refusal}") from refusal
    execution = await run(session.sandbox, program, limits, requests)
    session.spend(execution.usage)
    return execution


def _request(test: AnyCall) -> harness.Call | harness.Instance:
    """The call as the harness takes it: without what is expected."""
    if isinstance(test, Call):
        return harness.Call(test.function, test.positional, test.named)
    methods = [harness.MethodCall(step.method, step.positional, step.named) for step in test.methods]
    return harness.Instance(test.class_, methods, test.positional, test.named)


def _expected(test: AnyCall) -> list[object]:
    """One value a result."""
    if isinstance(test, Call):
        return [value(test.expected, exact=True)]
    return [value(step.expected, exact=True) if step.compared else Anything() for step in test.methods]


def _ended(session: Session, execution: Execution) -> TestStatus:
    status = translate_status(execution.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status


def _shown(test: AnyCall, read_one: Read) -> str:
    said = f"\n  {read_one.shown}" if read_one.shown else ""
    return f"  test: {excerpt(content(test))}{said}"


CALLED = frozenset({"python", "javascript"})
