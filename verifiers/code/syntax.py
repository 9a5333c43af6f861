"""Whether a program in an interpreted language is one at all: what a compiler says in the others.

It is asked only of a program that has failed at once, in a sandbox run of its own without any input, so that what it
says can hold no text of a test. Covered: Python and JavaScript; elsewhere such a program is ``nonzero_exit``. The same
is asked of a test that is broken in the language of a program, where only the response says which language that is.
"""

from __future__ import annotations

from sandbox.base import Execution, Program, Status, Unsupported, run
from verifiers.code.result import compiler_said
from verifiers.code.session import Session

_PYTHON = """\
import sys, traceback
try:
    with open("candidate.py", "rb") as file:
        compile(file.read(), "solution.py", "exec", dont_inherit=True)
except (SyntaxError, ValueError, MemoryError, RecursionError) as failure:
    sys.stderr.write("".join(traceback.format_exception_only(failure)))
    sys.exit(1)
"""


async def does_not_parse(session: Session) -> bool:
    """Whether the program is malformed; if so, the report says what is wrong with it.

    Asked of the first test's program alone: a program that has got further is well-formed.
    """
    if session.report.results:
        return False
    execution = await _checked(session, session.code, session.language)
    if execution is None:
        return False
    if execution.status is Status.FINISHED:
        return False
    session.report.compile_output = compiler_said(execution.stderr) or "the program cannot be parsed"
    return True


async def parses(session: Session, test: str, language: str) -> bool:
    """Whether a test is well-formed in that language; it is not where the language is missing here."""
    # a test of JavaScript is the body of an asynchronous function
    text = f"async () => {{\n{test}\n}}" if language == "javascript" else test
    try:
        execution = await _checked(session, text, language)
    except Unsupported:
        return False
    return execution is not None and execution.status is Status.FINISHED


async def _checked(session: Session, text: str, language: str) -> Execution | None:
    """What the language's parser makes of a text; None where there is none. Its time counts against the suite's."""
    if language == "python":
        program = Program("python", _PYTHON, files={"candidate.py": text.encode("utf-8", "surrogatepass")})
    elif language == "javascript":
        program = Program("javascript", text, command=("node", "--check", "solution.js"))
    else:
        return None
    execution = await run(session.sandbox, program, session.test_limits())
    session.spend(execution.usage)
    return execution
