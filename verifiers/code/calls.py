"""Tests of kind ``calls``: functions and methods called in the program's process, their results compared here.

The program is given names and arguments alone; the expected values never leave the host. All calls go to one process,
one after the other, each with its own time limit; after one that hangs, crashes or ends the process, the rest goes to
a fresh one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sandbox import harness
from sandbox.base import Execution, Status, run
from sandbox.harness import NotPlain, Raised, Returned
from sandbox.harness.python.trueward_harness.limits import Unencodable
from sandbox.languages import languages
from trueward.verifier import Abstain
from verifiers.code.equal import equal
from verifiers.code.kinds import AnyCall, Call
from verifiers.code.literal import value
from verifiers.code.result import Result, TestStatus, compiler_said, ended
from verifiers.code.session import Session, content
from verifiers.code.shown import excerpt, printed
from verifiers.code.syntax import does_not_parse

_AT_ONCE = 100_000
"""Bytes of results that are read in the event loop: a few milliseconds."""


class _Anything:
    """What a method must return whose test states nothing: it only must not raise."""


_ANYTHING = _Anything()


async def run_calls(session: Session) -> None:
    """Adds a result for each test, in order."""
    pending = session.ordered(session.suite.calls, content)
    while pending:
        unreached = session.unreached()
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
    if len(execution.stdout) <= _AT_ONCE:
        answers = harness.decode_results(execution.stdout)
    else:
        answers = await asyncio.to_thread(harness.decode_results, execution.stdout)
    if answers and isinstance(answers[0], Raised) and await does_not_parse(session):
        return 0
    done = 0
    for index, test in pending:
        expected = _expected(test)
        given, answers = answers[: len(expected)], answers[len(expected) :]
        cut_off = len(given) < len(expected)
        status = _judged(given, expected, session) or (_ended(session, execution) if cut_off else TestStatus.PASSED)
        shown = "" if status is TestStatus.PASSED else _shown(test, given)
        session.add(Result("calls", index, test.name, status, shown=shown))
        done += 1
        if cut_off or session.stopped:
            break
    return done


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
    return [value(step.expected, exact=True) if step.compared else _ANYTHING for step in test.methods]


def _judged(given: Sequence[harness.Result], expected: Sequence[object], session: Session) -> TestStatus | None:
    """The first thing wrong with the results that there are, else None."""
    tolerance = session.tolerance if session.comparison == "floats" else None
    for answer, wanted in zip(given, expected, strict=False):
        if isinstance(answer, Raised):
            return TestStatus.RAISED
        if isinstance(answer, NotPlain):
            return TestStatus.NOT_PLAIN
        if wanted is not _ANYTHING and not equal(answer.value, wanted, tolerance):
            return TestStatus.WRONG_VALUE
    return None


def _ended(session: Session, execution: Execution) -> TestStatus:
    status = ended(execution.status)
    return TestStatus.SUITE_TIME if status is TestStatus.TIME_LIMIT and session.out_of_time else status


def _shown(test: AnyCall, given: Sequence[harness.Result]) -> str:
    lines = [f"  test: {excerpt(content(test))}"]
    for answer in given[-1:]:
        if isinstance(answer, Returned):
            lines.append(f"  got: {printed(answer.value)}")
        elif isinstance(answer, Raised):
            lines.append(f"  raised: {excerpt(f'{answer.type}: {answer.message}')}")
        else:
            lines.append(f"  no plain value: {excerpt(answer.reason)}")
    return "\n".join(lines)


CALLED = frozenset({"python", "javascript"})
