"""Whether a program in an interpreted language is one at all: what a compiler says in the others.

It is asked only of a program that has failed at once, in a sandbox run of its own without any input, so that what it
says can hold no text of a test. Covered: Python and JavaScript; elsewhere such a program is ``nonzero_exit``.
"""

from __future__ import annotations

from sandbox.base import Program, Status, run
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
    if session.language == "python":
        program = Program("python", _PYTHON, files={"candidate.py": session.code.encode()})
    elif session.language == "javascript":
        program = Program("javascript", session.code, command=("node", "--check", "solution.js"))
    else:
        return False
    execution = await run(session.sandbox, program, session.test_limits())
    session.spend(execution.usage)
    if execution.status is Status.FINISHED:
        return False
    session.report.compile_output = compiler_said(execution.stderr) or "the program cannot be parsed"
    return True
