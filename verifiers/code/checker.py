"""A checker: a program of the reference's author that judges outputs, each in a sandbox run of its own.

It is started as ``checker input.txt output.txt answer.txt`` (the order of testlib): what the program read, what it
wrote, and the test's ``answer``, else its ``stdout``. Exit code 0 accepts, everything else rejects: an output that
makes a checker crash or hang is not accepted. A checker that does not compile, or does not accept a test's own
``stdout``, is the caller's doing.
"""

from __future__ import annotations

from dataclasses import replace

from sandbox.base import Program, Status, run
from trueward.authoring.verifier import Abstain
from verifiers.code.session import Session
from verifiers.code.suite_kinds import Source, Stdio

_FILES = ("input.txt", "output.txt", "answer.txt")


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
