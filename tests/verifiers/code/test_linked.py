"""Assertions that are linked into the program: other languages, in one process alone, and forgeable."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sandbox.base import Sandbox
from tests.verifiers.code.judging import fenced, judged, statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]
HEAD = "#include <assert.h>\n#include <stdlib.h>\n"
TESTS: JsonValue = {"assertions": [f"int main(void) {{ assert(f({n}) == {n * n}); return 0; }}" for n in range(3)]}

HANGS = ["passed", "time_limit", "passed"]
EXITS = ["passed", "nonzero_exit", "passed"]
PROGRAMS = [
    pytest.param("int f(int n) { return n * n; }", ["passed"] * 3, id="right"),
    pytest.param("int f(int n) { return n; }", ["passed", "passed", "signalled"], id="partly right"),
    pytest.param("int f(int n) { return 7; }", ["signalled"] * 3, id="wrong"),
    pytest.param("int f(int n) { if (n == 1) for (;;); return n * n; }", HANGS, id="hangs"),
    pytest.param("int f(int n) { if (n == 1) exit(3); return n * n; }", EXITS, id="exits"),
    pytest.param("int f(int n) { return x; }", ["compile_error"] * 3, id="broken"),
]


@pytest.mark.parametrize(("code", "expected"), PROGRAMS)
async def test_each_assertion_in_c_has_its_status(sandbox: Sandbox, code: str, expected: list[str]) -> None:
    verdict = await judged(sandbox, fenced(HEAD + code, "c"), TESTS, {"same_process": True, "language": "c"})
    assert statuses(verdict) == expected
    assert verdict.score == pytest.approx(expected.count("passed") / 3)
    assert verdict.evidence["forgeable"] is True
    assert (verdict.reason_code == "compile_error") is (expected[0] == "compile_error")


async def test_a_test_that_does_not_compile_costs_no_other(sandbox: Sandbox) -> None:
    tests: JsonValue = {"assertions": ["int main(void) { return g(); ", "int main(void) { return f(0); }"]}
    verdict = await judged(
        sandbox, fenced("int f(int n) { return n; }", "c"), tests, {"same_process": True, "language": "c"}
    )
    assert statuses(verdict) == ["compile_error", "passed"]


@pytest.mark.parametrize("level", ["status", "redacted"])
async def test_a_compilers_output_shows_no_test_below_full(sandbox: Sandbox, level: str) -> None:
    tests: JsonValue = {"assertions": ["int main(void) { return CANARY_7d1f(1); } // CANARY_7d1f"]}
    params: dict[str, JsonValue] = {"same_process": True, "language": "c", "feedback": level}
    verdict = await judged(sandbox, fenced("int f(int n) { return y; }", "c"), tests, params)
    assert verdict.reason_code == "compile_error"
    assert "CANARY_7d1f" not in (verdict.feedback or "")
