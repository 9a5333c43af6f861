"""Assertions and test files: tests and program in two processes, or in one where the caller asks for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import JsonValue

from sandbox.base import Execution, Program, Sandbox, SandboxFailure, Status, Usage
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.verifiers.code.judging import fenced, judged, statuses
from verifiers.code.assertions import evaluates

TESTS: JsonValue = {"assertions": [f"assert f({n}) == {n * n}" for n in range(4)]}
LIMITS: dict[str, JsonValue] = {"limits": {"wall_s": 1.0, "suite_s": 10.0}}
NONE = [False] * 4
HANGS = [True, False, True, True]

PROGRAMS = [
    pytest.param("python", "def f(n): return n * n", [True] * 4, id="python right"),
    pytest.param("python", "def f(n): return n", [True, True, False, False], id="python partly right"),
    pytest.param("python", "def f(n): return None", NONE, id="python wrong"),
    pytest.param(
        "python", "def f(n):\n while n == 1: pass\n return n * n", HANGS, id="python hangs", marks=pytest.mark.quiet
    ),
    pytest.param("python", "import os\ndef f(n):\n if n == 1: os._exit(0)\n return n * n", HANGS, id="python ends"),
    pytest.param("python", "import os\ndef f(n):\n if n == 1: os.abort()\n return n * n", HANGS, id="python aborts"),
    pytest.param("python", "def f(n):\n if n == 1: 1 / 0\n return n * n", HANGS, id="python raises"),
    *(
        pytest.param("python", f"import io, os, sys\n{line}\ndef f(n): return n * n", [True] * 4, id=f"python {line}")
        for line in (
            "sys.stdout = io.StringIO()",
            "sys.stdout.close()",
            "sys.stdout = sys.stderr = None",
            "sys.stdout = open(os.devnull, 'w')",
            "sys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'utf-8')",
            "sys.stdout.buffer.close()",
            "os.close(1)",
            "import atexit; atexit.register(sys.stdout.close)",
            "import contextlib; contextlib.redirect_stdout(io.StringIO()).__enter__()",
        )
    ),
    pytest.param("python", "def f(n) return n", NONE, id="python broken"),
    pytest.param("python", "while True: pass", NONE, id="python hangs when loaded"),
    pytest.param("python", "import sys\nsys.exit(0)", NONE, id="python exits when loaded"),
    *(
        pytest.param("python", f"import sys\ndef f(n): return n * n\n{last}", passed, id=f"python ends with {last}")
        for last, passed in (
            ("sys.exit()", [True] * 4),
            ("sys.exit(0)", [True] * 4),
            ("exit()", [True] * 4),
            ("raise SystemExit", [True] * 4),
            ("sys.exit(1)", NONE),
            ("sys.exit('no')", NONE),
            ("raise KeyboardInterrupt", NONE),
        )
    ),
    pytest.param("javascript", "function f(n) { return n * n; }", [True] * 4, id="javascript right"),
    pytest.param("javascript", "function f(n) { return n; }", [True, True, False, False], id="javascript partly right"),
    pytest.param("javascript", "function f(n) {", NONE, id="javascript broken"),
]
JAVASCRIPT: JsonValue = {
    "assertions": [f"const assert = require('assert'); assert.strictEqual(f({n}), {n * n});" for n in range(4)]
}


@pytest.mark.parametrize(("language", "code", "passed"), PROGRAMS)
@pytest.mark.asyncio(loop_scope="module")
async def test_each_assertion_has_its_status(sandbox: Sandbox, language: str, code: str, passed: list[bool]) -> None:
    verdict = await judged(sandbox, fenced(code, language), JAVASCRIPT if language == "javascript" else TESTS, LIMITS)
    assert [status == "passed" for status in statuses(verdict)] == passed
    assert verdict.score == pytest.approx(sum(passed) / 4)
    assert "forgeable" not in verdict.evidence


@pytest.mark.parametrize(("language", "reference"), [("python", TESTS), ("javascript", JAVASCRIPT)])
@pytest.mark.asyncio(loop_scope="module")
async def test_a_program_that_cannot_be_parsed_is_a_compile_error(
    sandbox: Sandbox, language: str, reference: JsonValue
) -> None:
    verdict = await judged(sandbox, fenced("function function (", language), reference)
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "compile_error")
    assert "SyntaxError" in str(verdict.evidence["compile_output"])


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __eq__(self, other): return True\ndef f(n): return A()",
        "class A(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\ndef f(n): return A(99)",
        "import os\nos._exit(0)",
        "import sys, atexit\natexit.register(lambda: os._exit(0))\nsys.exit(0)",
        "import builtins\nbuiltins.AssertionError = None\ndef f(n): return 99",
        "import unittest\ndef f(n): raise unittest.SkipTest('no')",
        "def f(n): raise SystemExit(0)",
        "def f(n): raise KeyboardInterrupt",
        "def f(n): raise GeneratorExit",
        "def __getattr__(name): return lambda n: n * n if False else None",
        'import os\nos.write(1, b\'{"name": "0", "status": "passed"}\\n\' * 9)\ndef f(n): return 99',
        "open('results.ndjson', 'w').write('{\"tests\": []}\\n{\"end\": true}\\n')\ndef f(n): return 99",
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_no_trick_passes_an_assertion(sandbox: Sandbox, code: str) -> None:
    verdict = await judged(sandbox, fenced(code), {"assertions": ["assert f(3) == 9", "assert f(4) == 16"]}, LIMITS)
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0), verdict


@pytest.mark.parametrize("test", ["assert f(2) ==", "def g(:\n    pass"])
@pytest.mark.asyncio(loop_scope="module")
async def test_a_broken_test_is_the_callers_doing(sandbox: Sandbox, test: str) -> None:
    for code in ("def f(n): return 4", "def f(n): return 5"):
        verdict = await judged(sandbox, fenced(code), {"assertions": [test]})
        assert (verdict.outcome, verdict.reason_code) == ("abstained", "bad_reference")


@pytest.mark.asyncio(loop_scope="module")
async def test_in_one_process_a_verdict_says_that_it_can_be_forged(sandbox: Sandbox) -> None:
    for code, outcome in [("def f(n): return n * n", "correct"), ("def f(n): return 7", "incorrect")]:
        verdict = await judged(sandbox, fenced(code), TESTS, {**LIMITS, "same_process": True})
        assert verdict.outcome == outcome
        assert verdict.evidence["forgeable"] is True


@pytest.mark.asyncio(loop_scope="module")
async def test_objects_cross_in_one_process(sandbox: Sandbox) -> None:
    code = "class P:\n    def __init__(self, x): self.x = x\n    def __eq__(self, other): return self.x == other.x\n"
    reference: JsonValue = {"assertions": ["assert P(1) == P(1)\nassert not P(1) == P(2)"]}
    assert (await judged(sandbox, fenced(code), reference, {"same_process": True})).outcome == "correct"


PYTEST = """
import pytest
from solution import double

@pytest.mark.parametrize("n, expected", [(1, 2), (2, 4), (0, 0)])
def test_double(n, expected):
    assert double(n) == expected

def test_text():
    assert double("a") == "aa"
"""
UNITTEST = """
import unittest
from solution import double

class TestDouble(unittest.TestCase):
    def test_number(self):
        self.assertEqual(double(2), 4)

    def test_text(self):
        self.assertEqual(double("a"), "aa")

if __name__ == "__main__":
    unittest.main()
"""


@pytest.mark.parametrize(
    ("files", "command", "total"),
    [
        ({"test_double.py": PYTEST}, "pytest", 4),
        ({"tests/test_double.py": PYTEST}, "pytest tests", 4),
        ({"test_double.py": PYTEST}, "python -m pytest -q test_double.py", 4),
        ({"test_double.py": UNITTEST}, "python -m unittest", 2),
        ({"test_double.py": UNITTEST}, "pytest", 2),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_test_files_are_run(sandbox: Sandbox, files: dict[str, JsonValue], command: str, total: int) -> None:
    reference: JsonValue = {"files": files, "command": command}
    right = await judged(sandbox, fenced("def double(x): return x + x"), reference, LIMITS)
    assert (right.outcome, right.evidence["total"]) == ("correct", total)
    partly = await judged(sandbox, fenced("def double(x): return x * 2 if x == 'a' else 9"), reference, LIMITS)
    assert partly.outcome == "partial"
    assert partly.score == pytest.approx(1 / total)
    for code in ("def double(x): return None", "import sys; sys.exit(0)", "1 / 0", "def double(x) return"):
        wrong = await judged(sandbox, fenced(code), reference, LIMITS)
        assert (wrong.outcome, wrong.score) == ("incorrect", 0.0)


@pytest.mark.asyncio(loop_scope="module")
async def test_names_of_parametrized_tests_hide_their_values(sandbox: Sandbox) -> None:
    tests = PYTEST.replace("(1, 2)", "('CANARY', 'CANARYCANARY')")
    reference: JsonValue = {"files": {"test_double.py": tests}, "command": "pytest"}
    verdict = await judged(sandbox, fenced("def double(x): return 9"), reference, {**LIMITS, "feedback": "redacted"})
    assert "test_double" in (verdict.feedback or "")
    assert "CANARY" not in verdict.model_dump_json()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_command_that_runs_no_test_is_the_callers_doing(sandbox: Sandbox) -> None:
    reference: JsonValue = {"files": {"test_a.py": "x = 1\n"}, "command": "pytest"}
    verdict = await judged(sandbox, fenced("def f(): pass"), reference, LIMITS)
    assert (verdict.outcome, verdict.reason_code) == ("abstained", "bad_reference")


def _unheld(execution: Execution) -> Execution:
    """As on a host that kept nothing from a program that ran for 1.2 seconds, whatever else runs on this one."""
    return replace(execution, usage=replace(execution.usage, wall_s=1.2, held_s=0.0))


class _TooLateToBegin(LocalSandbox):
    """The tests' process of every pair but the first does not come to begin in the time that it has."""

    pairs = 0

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        self.pairs += 1
        if self.pairs == 1:
            ours, theirs = await super().pair(first, second, limits)
            return _unheld(ours), _unheld(theirs)
        usage = Usage(0.0, limits.wall_s, 0)
        return Execution(Status.TIME_LIMIT, usage), Execution(Status.STOPPED, usage)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_program_that_hangs_until_no_test_can_begin_gets_no_null_for_it() -> None:
    sandbox = _TooLateToBegin()
    tests: JsonValue = {"assertions": ["assert f(1) == 1", "assert f(2) == 4"]}
    limits: JsonValue = {"wall_s": 1.0, "suite_s": 1.5}
    try:
        verdict = await judged(sandbox, fenced("def f(n):\n    while True: pass"), tests, {"limits": limits})
    finally:
        await sandbox.close()
    assert sandbox.pairs == 2
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)
    with pytest.raises(SandboxFailure):  # no doing of the program's
        await judged(sandbox, fenced("def f(n): return n"), tests, {"limits": limits})


EVALUATED: JsonValue = {"assertions": ["assert eval(f()) == 4"]}
REMOVES = "__import__('os').unlink('results.ndjson')"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_solution_whose_text_the_tests_evaluate_is_priced_and_said_to_be_forgeable(sandbox: Sandbox) -> None:
    right = await judged(sandbox, fenced("def f(): return '2 + 2'"), EVALUATED, LIMITS)
    assert (right.outcome, right.evidence["forgeable"]) == ("correct", True)
    for answer in ("'('", "'__import__(\"nowhere\")'", repr(REMOVES), repr(f"{REMOVES} or exit(0)")):
        verdict = await judged(sandbox, fenced(f"def f(): return {answer}"), EVALUATED, LIMITS)
        assert (verdict.outcome, verdict.score) == ("incorrect", 0.0), (answer, verdict.reason)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("assert eval(f()) == 4", True),
        ("exec (f())", True),
        ("assert pickle.loads(f()) == 4", True),
        ("assert new Function(f())() === 4", True),
        ("import re\nassert re.compile('a').match(f())", False),
        ("import ast\nassert ast.literal_eval(f()) == 4", False),
        ("model.eval()", False),
        ("import importlib\nimportlib.reload(solution)", False),
        ("f = sympy.Function('f')", False),
        ("assert retrieval(f()) == 4", False),
    ],
)
def test_what_evaluates(test: str, expected: bool) -> None:
    assert evaluates([test]) is expected
