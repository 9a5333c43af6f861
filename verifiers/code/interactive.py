"""Tests of kind ``interactive``: the program talks with an interactor, each in a jail of its own.

The interactor reads the test's ``input`` from the file ``input.txt`` (its argument), its standard input is the
program's output and the other way round. Exit code 0 accepts; everything else does not, whoever of the two failed,
because a program can make an interactor crash or wait. An interactor that does not compile is the caller's doing.
"""

from __future__ import annotations

from sandbox.base import Execution, Program, Status
from trueward.authoring.verifier import Abstain
from verifiers.code.result import Result, TestStatus, compiler_said, translate_status
from verifiers.code.session import Session, content
from verifiers.code.shown import excerpt
from verifiers.code.suite_kinds import Interaction, Source
from verifiers.code.syntax import does_not_parse

_INPUT = "input.txt"
_OWN_END = (Status.FINISHED, Status.STOPPED)


async def run_interactive(session: Session) -> None:
    """Adds a result for each test, in order."""
    given = session.suite.interactive
    assert given is not None
    for index, test in session.order_tests(given.tests, content):
        unreached = session.explain_skip()
        if unreached is not None:
            session.add(Result("interactive", index, test.name, unreached))
        else:
            session.add(await _one(session, given.interactor, index, test))


async def _one(session: Session, interactor: Source, index: int, test: Interaction) -> Result:
    limits = session.test_limits()
    files = {_INPUT: test.input.encode()}
    first = Program(interactor.language, interactor.source, arguments=(_INPUT,), files=files)
    judge, player = await session.sandbox.pair(first, session.program(), limits)
    if judge.status is Status.COMPILE_ERROR:
        raise Abstain("bad_reference", "the interactor does not compile")
    if player.status is Status.COMPILE_ERROR:
        session.report.compile_output = compiler_said(player.stdout + player.stderr)
    session.spend(judge.usage, player.usage)
    status = _status(judge, player)
    if status is TestStatus.NONZERO_EXIT and await does_not_parse(session):
        status = TestStatus.COMPILE_ERROR
    if status is TestStatus.TIME_LIMIT and limits.wall_s < session.limits.wall_s:
        status = TestStatus.SUITE_TIME
    shown = "" if status is TestStatus.PASSED else _shown(test, judge, player)
    return Result("interactive", index, test.name, status, player.usage.wall_s, shown)


def _status(judge: Execution, player: Execution) -> TestStatus:
    if player.status is Status.COMPILE_ERROR:
        return TestStatus.COMPILE_ERROR
    if judge.status is Status.FINISHED:
        return TestStatus.PASSED
    if judge.status is Status.TIME_LIMIT and player.status is Status.STOPPED:
        return TestStatus.TIME_LIMIT  # both waited, and the interactor's limit came first
    return TestStatus.REJECTED if player.status in _OWN_END else translate_status(player.status)


def _shown(test: Interaction, judge: Execution, player: Execution) -> str:
    parts: dict[str, str | bytes] = {"input": test.input, "interactor": judge.stderr, "standard error": player.stderr}
    return "\n".join(f"  {name}: {excerpt(text)}" for name, text in parts.items() if text)
