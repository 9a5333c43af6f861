"""Feedback: what each level tells, how long it may be, and that nothing hidden is in it below ``full``."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sandbox.base import Sandbox
from tests.verifiers.code.judging import fenced, judged
from verifiers.code.feedback import LONGEST, feedback
from verifiers.code.params import Level
from verifiers.code.result import Report, Result, TestStatus

LEVELS: tuple[Level, ...] = ("none", "status", "redacted", "full")

REPORT = Report(
    results=[
        Result("stdio", 0, "", TestStatus.PASSED),
        Result("stdio", 1, "negative numbers", TestStatus.WRONG_OUTPUT, shown="  expected: 5"),
        Result("calls", 0, "", TestStatus.TIME_LIMIT, shown="  test: f(1)"),
    ]
)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("none", None),
        ("status", "1 of 3 tests passed.\nstdio 2: wrong_output\ncalls 1: time_limit"),
        ("redacted", "1 of 3 tests passed.\nnegative numbers: wrong_output\ncalls 1: time_limit"),
        (
            "full",
            "1 of 3 tests passed.\nnegative numbers: wrong_output\n  expected: 5\ncalls 1: time_limit\n  test: f(1)",
        ),
    ],
)
def test_each_level_tells_more(level: Level, expected: str | None) -> None:
    assert feedback(REPORT, level) == expected


@pytest.mark.parametrize(
    ("level", "forgeable", "shown"),
    [("status", False, False), ("redacted", False, True), ("redacted", True, False), ("full", True, True)],
)
def test_a_compilers_output_is_shown_where_no_test_was_compiled_with_it(
    level: Level, forgeable: bool, shown: bool
) -> None:
    report = Report(compile_output="x.c:1: error", forgeable=forgeable)
    said = feedback(report, level)
    assert said is not None
    assert said.startswith("The program does not compile.")
    assert ("x.c:1: error" in said) is shown


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("text", ["x", "é", "\U0001f600"])
def test_feedback_is_short(level: Level, text: str) -> None:
    results = [Result("calls", n, text * 200, TestStatus.FAILED, shown=text * 400) for n in range(300)]
    said = feedback(Report(results=results), level) or ""
    assert len(said.encode()) <= LONGEST
    assert len(said.encode()) <= 4096


CANARY = "CANARY-7d1f"
REPEATS_ITS_INPUT = [
    "print(input())",
    "import sys; print(input(), file=sys.stderr)",
    "import sys; sys.exit(input())",
    "raise ValueError(input())",
    "raise type(input(), (Exception,), {})",
    "raise SyntaxError(input())",
    "import sys; sys.stderr.write('  File \"solution.py\", line 1\\nSyntaxError: ' + input()); sys.exit(1)",
    "import warnings; warnings.warn(input())",
    "import os, time; os.write(2, input().encode()); time.sleep(9)",
    "import os; os.write(2, input().encode()); os.abort()",
    "def f(x):\n    raise ValueError(x)",
    "def f(x):\n    print(x)\n    return x",
    "def f(x):\n    raise type(x, (Exception,), {})",
    "def f(x):\n    import os; os.write(2, x.encode()); os._exit(1)",
    "def f(x):\n    raise SyntaxError(x)",
    "def f(x):\n    class C:\n        def __repr__(self): return x\n    return C()",
]


@pytest.mark.parametrize("program", REPEATS_ITS_INPUT)
@pytest.mark.parametrize("level", ["status", "redacted"])
@pytest.mark.parametrize("kind", ["stdio", "calls", "assertions"])
@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_hidden_appears_below_full(sandbox: Sandbox, program: str, level: str, kind: str) -> None:
    references: dict[str, JsonValue] = {
        "stdio": {"stdio": [{"stdin": CANARY, "stdout": f"{CANARY}!"}]},
        "calls": {"calls": [{"function": "f", "args": [CANARY], "expected": f"{CANARY}!"}]},
        "assertions": {"assertions": [f"assert f('{CANARY}') == '{CANARY}!', '{CANARY}'"]},
    }
    verdict = await judged(sandbox, fenced(program), references[kind], {"feedback": level})
    assert verdict.outcome == "incorrect"
    assert verdict.feedback
    assert CANARY not in verdict.model_dump_json()


@pytest.mark.asyncio(loop_scope="module")
async def test_full_feedback_shows_what_was_expected(sandbox: Sandbox) -> None:
    reference: JsonValue = {"stdio": [{"stdin": "in", "stdout": CANARY}]}
    verdict = await judged(sandbox, fenced("print('something else')"), reference, {"feedback": "full"})
    assert verdict.feedback is not None
    assert CANARY in verdict.feedback
    assert "something else" in verdict.feedback
