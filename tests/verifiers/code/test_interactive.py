"""Interactive programs against an interactor: exit code 0 accepts, whatever the program does to it does not."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sandbox.base import Sandbox
from tests.verifiers.code.judging import fenced, judged, statuses

pytestmark = pytest.mark.asyncio(loop_scope="module")

GUESS = """
import sys
secret = int(open(sys.argv[1]).read())
for turn in range(8):
    guess = int(input())
    if guess == secret:
        print("yes")
        sys.exit(0)
    print("higher" if guess < secret else "lower", flush=True)
sys.exit(1)
"""
REFERENCE: JsonValue = {
    "interactive": {
        "interactor": {"language": "python", "source": GUESS},
        "tests": [{"input": "7"}, {"input": "64"}, {"input": "99"}],
    }
}
BISECT = """
low, high = 0, 128
while True:
    middle = (low + high) // 2
    print(middle, flush=True)
    said = input()
    if said == "yes":
        break
    if said == "higher":
        low = middle + 1
    else:
        high = middle
"""
BISECT_C = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    int low = 0, high = 128;
    char said[16];
    for (;;) {
        int middle = (low + high) / 2;
        printf("%d\n", middle);
        fflush(stdout);
        if (scanf("%15s", said) != 1 || !strcmp(said, "yes")) return 0;
        if (!strcmp(said, "higher")) low = middle + 1; else high = middle;
    }
}
"""

PROGRAMS = [
    pytest.param("python", BISECT, ["passed"] * 3, id="python right"),
    pytest.param("c", BISECT_C, ["passed"] * 3, id="c right"),
    pytest.param("python", "print(64, flush=True)\ninput()", ["rejected", "passed", "rejected"], id="one guess"),
    pytest.param("python", "while True: print(1, flush=True); input()", None, id="wrong for ever"),
    pytest.param("python", "print('seven')", None, id="no number"),
    pytest.param("python", "import time; time.sleep(60)", ["time_limit"] * 3, id="silent"),
    pytest.param("python", "while True: pass", ["time_limit"] * 3, id="busy"),
    pytest.param("python", "1 / 0", ["nonzero_exit"] * 3, id="raises"),
    pytest.param("c", "int main(void) { return x; }", ["compile_error"] * 3, id="broken"),
    pytest.param("python", "print(", ["compile_error"] * 3, id="no python"),
    pytest.param("python", "import sys\nwhile True: sys.stdout.write('1' * 99999)", None, id="flood"),
]


@pytest.mark.parametrize(("language", "code", "expected"), PROGRAMS)
async def test_each_interaction_has_its_status(
    sandbox: Sandbox, language: str, code: str, expected: list[str] | None
) -> None:
    verdict = await judged(sandbox, fenced(code, language), REFERENCE)
    found = statuses(verdict)
    assert len(found) == 3
    if expected is not None:
        assert found == expected
    else:
        assert "passed" not in found
    assert verdict.outcome == {0: "incorrect", 3: "correct"}.get(found.count("passed"), "partial")


@pytest.mark.toolchain
async def test_an_interactor_that_does_not_compile_is_the_callers_doing(sandbox: Sandbox) -> None:
    broken: JsonValue = {"interactive": {"interactor": {"language": "c", "source": "int main( {"}}}
    verdict = await judged(sandbox, fenced(BISECT), broken)
    assert (verdict.outcome, verdict.reason_code) == ("abstained", "bad_reference")
