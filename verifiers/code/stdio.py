"""Tests of kind ``stdio``: one run a test, its output compared here, on the host, or by a checker.

A checker is a program of the reference's author that judges outputs, each in a sandbox run of its own. It is started as
``checker input.txt output.txt answer.txt`` (the order of testlib): what the program read, what it wrote, and the test's
``answer``, else its ``stdout``. Exit code 0 accepts, everything else rejects: an output that makes a checker crash or
hang is not accepted. A checker that does not compile, or does not accept a test's own ``stdout``, is the caller's
doing.
"""

from __future__ import annotations

from dataclasses import replace

from sandbox.base import Execution, Program, Status, Workspace, run
from trueward.authoring.verifier import Abstain
from verifiers.apart import estimate_cpu_s, run_apart
from verifiers.code.output import compare_output, same_output
from verifiers.code.result import Result, TestStatus, compiler_said, translate_status
from verifiers.code.session import Session, content
from verifiers.code.shown import excerpt
from verifiers.code.suite_kinds import Source, Stdio
from verifiers.code.syntax import does_not_parse

_AT_ONCE = 4_000
"""Bytes of output that are compared in the event loop: two thousand numbers, a few milliseconds."""
_FILES = ("input.txt", "output.txt", "answer.txt")


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


async def accepts(session: Session, checker: Source, test: Stdio, output: bytes) -> bool:
    """Whether the checker accepts an output. Raises :class:`Abstain` where it does not compile.

    Its time counts against the suite's: an output can make a checker slow.
    """
    contents = (test.stdin.encode(), output, (test.answer or test.stdout or "").encode())
    files = dict(zip(_FILES, contents, strict=True))
    size = sum(map(len, contents))
    limits = session.limits.of_a_test()
    limits = replace(limits, disk_bytes=limits.disk_bytes + size, memory_bytes=limits.memory_bytes + 8 * size)
    program = Program(checker.language, checker.source, arguments=_FILES, files=files)
    execution = await run(session.sandbox, program, limits)
    session.spend(execution.usage)
    if execution.status is Status.COMPILE_ERROR:
        raise Abstain("bad_reference", "the checker does not compile")
    return execution.status is Status.FINISHED


async def refuse_broken(session: Session, checker: Source) -> None:
    """Raises :class:`Abstain` where the checker does not accept the first ``stdout`` that a test gives."""
    for test in session.suite.stdio:
        if test.stdout is not None:
            if not await accepts(session, checker, test, test.stdout.encode()):
                raise Abstain("bad_reference", "the checker does not accept the test's own stdout")
            return
