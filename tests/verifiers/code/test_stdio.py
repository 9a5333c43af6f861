"""Tests by standard input and output: right, wrong, hanging, crashing and broken programs, in Python and C."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sandbox.base import Sandbox
from tests.verifiers.code.judging import fenced, judged, statuses

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUM: dict[str, JsonValue] = {
    "stdio": [
        {"stdin": "1 2\n", "stdout": "3\n"},
        {"stdin": "5 5\n", "stdout": "10\n"},
        {"stdin": "0 0", "stdout": "0"},
    ]
}
C = '#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ int a, b; scanf("%d %d", &a, &b); {} }}'
PRINT = 'printf("%d\\n", a + b); return 0;'
READ = "a, b = map(int, input().split())\n"

HANGS = ["passed", "time_limit", "passed"]
PROGRAMS = [
    pytest.param("python", READ + "print(a + b)", ["passed"] * 3, id="python right"),
    pytest.param("python", READ + "print(a - b)", ["wrong_output"] * 2 + ["passed"], id="python partly right"),
    pytest.param("python", READ + "print('no')", ["wrong_output"] * 3, id="python wrong"),
    pytest.param(
        "python", READ + "while a == 5: pass\nprint(a + b)", ["passed", "time_limit", "passed"], id="python hangs"
    ),
    pytest.param(
        "python", READ + "print(a + b)\n1 / b", ["passed"] * 2 + ["nonzero_exit"], id="python raises at the end"
    ),
    pytest.param("python", READ + "import os; os.kill(os.getpid(), 11)", ["signalled"] * 3, id="python crashes"),
    pytest.param("python", "print(", ["compile_error"] * 3, id="python broken"),
    pytest.param("c", C.format(PRINT), ["passed"] * 3, id="c right"),
    pytest.param("c", C.format('puts("3");'), ["passed", "wrong_output", "wrong_output"], id="c partly right"),
    pytest.param("c", C.format("if (a == 5) for (;;);" + PRINT), HANGS, id="c hangs"),
    pytest.param("c", C.format("if (a == 5) abort();" + PRINT), ["passed", "signalled", "passed"], id="c aborts"),
    pytest.param("c", C.format("int *p = 0; *p = 1;"), ["signalled"] * 3, id="c crashes"),
    pytest.param("c", C.format(PRINT[:-9] + "return 3;"), ["nonzero_exit"] * 3, id="c exits with 3"),
    pytest.param("c", "int main(void) { return x; }", ["compile_error"] * 3, id="c broken"),
]


@pytest.mark.parametrize(("language", "code", "expected"), PROGRAMS)
async def test_each_test_has_its_status(sandbox: Sandbox, language: str, code: str, expected: list[str]) -> None:
    verdict = await judged(sandbox, fenced(code, language), SUM)
    assert statuses(verdict) == expected
    passed = expected.count("passed")
    assert verdict.score == pytest.approx(passed / 3)
    assert verdict.outcome == {0: "incorrect", 3: "correct"}.get(passed, "partial")
    assert verdict.evidence["fraction"] == pytest.approx(passed / 3)


@pytest.mark.parametrize(
    ("language", "code", "said"),
    [("c", "int main(void) { return x; }", "undeclared"), ("python", "print(", "SyntaxError")],
)
async def test_a_compile_error_shows_the_compilers_output(
    sandbox: Sandbox, language: str, code: str, said: str
) -> None:
    verdict = await judged(sandbox, fenced(code, language), SUM)
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "compile_error")
    assert said in str(verdict.evidence["compile_output"])


async def test_a_program_that_raises_a_syntax_error_itself_did_compile(sandbox: Sandbox) -> None:
    verdict = await judged(sandbox, fenced("raise SyntaxError('not at all')"), SUM)
    assert verdict.reason_code == "none_passed"
    assert statuses(verdict) == ["nonzero_exit"] * 3


async def test_the_suite_has_a_time_of_its_own(sandbox: Sandbox) -> None:
    reference: JsonValue = {"stdio": [{"stdin": f"{n}", "stdout": "1"} for n in range(10)]}
    limits: JsonValue = {"limits": {"wall_s": 0.6, "suite_s": 1.5}}
    assert isinstance(limits, dict)
    verdict = await judged(sandbox, fenced("while True: pass"), reference, limits)
    assert statuses(verdict) == ["time_limit"] * 2 + ["suite_time"] * 8
    assert verdict.score == 0.0


async def test_tests_after_the_first_failure_may_be_left_out(sandbox: Sandbox) -> None:
    verdict = await judged(sandbox, fenced(READ + "print(3)"), SUM, {"stop_at_first_failure": True})
    assert statuses(verdict) == ["passed", "wrong_output", "not_run"]
    assert verdict.score == pytest.approx(1 / 3)


async def test_the_shortest_test_may_come_first(sandbox: Sandbox) -> None:
    reference: JsonValue = {"stdio": [{"stdin": "a" * 99, "stdout": "a" * 99}, {"stdin": "b", "stdout": "b"}]}
    verdict = await judged(sandbox, fenced("print(input())"), reference, {"order": "shortest"})
    tests = verdict.evidence["tests"]
    assert isinstance(tests, list)
    assert [test["index"] for test in tests if isinstance(test, dict)] == [1, 0]


async def test_the_same_test_counts_once(sandbox: Sandbox) -> None:
    test: JsonValue = {"stdin": "1 2", "stdout": "3"}
    reference: JsonValue = {
        "stdio": [test, test, {"stdin": "1 2", "stdout": "3", "name": "again"}, {"stdin": "1 1", "stdout": "2"}]
    }
    verdict = await judged(sandbox, fenced("print(3)"), reference)
    assert (verdict.score, verdict.evidence["total"], verdict.evidence["duplicates"]) == (0.5, 2, 2)


async def test_evidence_is_bounded(sandbox: Sandbox) -> None:
    reference: JsonValue = {"stdio": [{"stdin": str(n), "stdout": str(n)} for n in range(130)]}
    program = fenced("n = input()\nprint(n if n != '120' else 0)")
    verdict = await judged(sandbox, program, reference, {"limits": {"suite_s": 60}})
    assert len(statuses(verdict)) == 100
    assert verdict.evidence["more_tests"] == {"passed": 29, "wrong_output": 1}
    assert verdict.score == pytest.approx(129 / 130)


async def test_an_expected_output_beyond_the_limit_can_be_written(sandbox: Sandbox) -> None:
    reference: JsonValue = {"stdio": [{"stdin": "", "stdout": "x" * 5000}]}
    verdict = await judged(sandbox, fenced("print('x' * 5000)"), reference, {"limits": {"output_bytes": 100}})
    assert verdict.outcome == "correct"


async def test_an_output_flood_is_cut_and_not_passed(sandbox: Sandbox) -> None:
    verdict = await judged(sandbox, fenced("print('x' * 100000)"), SUM, {"limits": {"output_bytes": 1000}})
    assert statuses(verdict) == ["output_limit"] * 3


async def test_the_reference_sets_comparison_and_limits_of_its_own(sandbox: Sandbox) -> None:
    reference: JsonValue = {
        "stdio": [{"stdin": "", "stdout": "0.5"}],
        "comparison": "floats",
        "limits": {"wall_s": 0.5},
    }
    assert (await judged(sandbox, fenced("print(0.5000001)"), reference)).outcome == "correct"
    verdict = await judged(sandbox, fenced("import time; time.sleep(0.8); print(0.5)"), reference)
    assert statuses(verdict) == ["time_limit"]


async def test_a_list_of_references_means_any_of_them(sandbox: Sandbox) -> None:
    wrong: JsonValue = {"stdio": [{"stdin": "", "stdout": "1"}]}
    right: JsonValue = {"stdio": [{"stdin": "", "stdout": "2"}]}
    assert (await judged(sandbox, fenced("print(2)"), [wrong, right])).outcome == "correct"
    assert (await judged(sandbox, fenced("print(3)"), [wrong, right])).outcome == "incorrect"


LARGEST = """
import sys
given, written, answer = (open(name).read() for name in sys.argv[1:])
print("CANARY-OF-THE-CHECKER", file=sys.stderr)
sys.exit(written.strip() not in given.split())
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print(input().split()[0])", ["passed"] * 2),
        ("print(7)", ["passed", "rejected"]),
        ("print()", ["rejected"] * 2),
    ],
)
async def test_a_checker_judges_outputs(sandbox: Sandbox, code: str, expected: list[str]) -> None:
    reference: JsonValue = {
        "stdio": [{"stdin": "7 8\n", "stdout": "8\n"}, {"stdin": "9 10\n"}],
        "checker": {"language": "python", "source": LARGEST},
    }
    assert statuses(await judged(sandbox, fenced(code), reference)) == expected


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "syntax error here"),
        ("python", "import sys; sys.exit(1)"),
        ("c", "int main( {"),
        ("python", "while True: pass"),
    ],
)
async def test_a_broken_checker_is_the_callers_doing(sandbox: Sandbox, language: str, source: str) -> None:
    checker: JsonValue = {"language": language, "source": source}
    reference: JsonValue = {"stdio": [{"stdin": "1", "stdout": "1"}], "checker": checker}
    for code in ("print(1)", "print(2)", "1 / 0"):
        verdict = await judged(sandbox, fenced(code), reference)
        assert (verdict.outcome, verdict.reason_code) == ("abstained", "bad_reference")


async def test_an_output_that_crashes_the_checker_is_not_accepted(sandbox: Sandbox) -> None:
    checker: JsonValue = {"language": "python", "source": "import sys; int(open(sys.argv[2]).read())"}
    reference: JsonValue = {"stdio": [{"stdin": "", "stdout": "1"}], "checker": checker}
    assert statuses(await judged(sandbox, fenced("print('one')"), reference)) == ["rejected"]
