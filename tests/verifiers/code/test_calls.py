"""Tests by calls: results are compared outside; one call that hangs or ends the process costs no other."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sandbox.base import Sandbox
from tests.verifiers.code.judging import fenced, judged, statuses

pytestmark = pytest.mark.asyncio(loop_scope="module")

SQUARES: JsonValue = {"calls": [{"function": "f", "args": [n], "expected": n * n} for n in range(4)]}
HANGS = ["passed", "time_limit", "passed", "passed"]
ENDS = ["passed", "exited", "passed", "passed"]

PROGRAMS = [
    pytest.param("python", "def f(n): return n * n", ["passed"] * 4, id="python right"),
    pytest.param("python", "def f(n: List[Node]) -> Optional[Node]: return n * n", ["passed"] * 4, id="python hints"),
    pytest.param(
        "python", "x: Node = 5\ndef f(n: int): return n", ["passed"] * 2 + ["wrong_value"] * 2, id="wrong hints"
    ),
    pytest.param("python", "def f(n): return Node(n)", ["raised"] * 4, id="python name that is no hint"),
    pytest.param(
        "python",
        "def f(n: int): return n * n * (f.__annotations__['n'] is int)",
        ["passed"] * 4,
        id="python reads hints",
    ),
    pytest.param("python", "def f(n): return n", ["passed"] * 2 + ["wrong_value"] * 2, id="python partly right"),
    pytest.param("python", "def f(n): return str(n)", ["wrong_value"] * 4, id="python wrong"),
    pytest.param("python", "def g(n): return n * n", ["raised"] * 4, id="python without the function"),
    pytest.param("python", "def f(n): return n * n\n1 / 0", ["raised"] * 4, id="python fails to load"),
    pytest.param("python", "def f(n):\n while n == 1: pass\n return n * n", HANGS, id="python hangs"),
    pytest.param("python", "import os\ndef f(n):\n if n == 1: os._exit(0)\n return n * n", ENDS, id="python ends"),
    pytest.param(
        "python",
        "import os\ndef f(n):\n if n == 1: os.abort()\n return n * n",
        ["passed", "signalled", "passed", "passed"],
        id="python aborts",
    ),
    pytest.param("python", "def f(n):\n if n == 1: exit(0)\n return n * n", None, id="python exits"),
    pytest.param("python", "while True: pass", ["time_limit"] * 4, id="python hangs when loaded"),
    pytest.param("python", "def f(n): return object()", ["not_plain"] * 4, id="python object"),
    pytest.param("python", "def f(n): return (x for x in [n])", ["not_plain"] * 4, id="python generator"),
    pytest.param("python", "def f(n) return n", ["compile_error"] * 4, id="python broken"),
    pytest.param("python", "def f(n):\n print('noise')\n return n * n", ["passed"] * 4, id="python prints"),
    pytest.param("python", "def f(n): return input()", ["raised"] * 4, id="python reads the calls"),
    pytest.param("javascript", "function f(n) { return n * n; }", ["passed"] * 4, id="javascript right"),
    pytest.param(
        "javascript", "const f = (n) => n;", ["passed"] * 2 + ["wrong_value"] * 2, id="javascript partly right"
    ),
    pytest.param("javascript", "function f(n) { while (n === 1); return n * n; }", HANGS, id="javascript hangs"),
    pytest.param("javascript", "function f(n) {", ["compile_error"] * 4, id="javascript broken"),
]


@pytest.mark.parametrize(("language", "code", "expected"), PROGRAMS)
async def test_each_call_has_its_status(sandbox: Sandbox, language: str, code: str, expected: list[str] | None) -> None:
    verdict = await judged(sandbox, fenced(code, language), SQUARES, {"limits": {"wall_s": 1.0, "suite_s": 10.0}})
    found = statuses(verdict)
    if expected is None:
        assert [status == "passed" for status in found] == [True, False, True, True]
    else:
        assert found == expected
    assert verdict.score == pytest.approx(found.count("passed") / 4)


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __eq__(self, other): return True\n    def __hash__(self): return 1\ndef f(n): return A()",
        "class A(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\ndef f(n): return A(99)",
        "class A(list):\n    def __eq__(self, other): return True\ndef f(n): return A()",
        "import builtins\nbuiltins.isinstance = lambda *a: True\ndef f(n): return 99",
        "import sys\nsys.exit(0)",
        "import os\nos._exit(0)",
        "import os\nos.write(1, b'passed' * 99)\ndef f(n): return 99",
        "import json\njson.dumps = lambda *a, **k: '9'\ndef f(n): return 99",
        "def f(n): raise SystemExit(0)",
        "def f(n): raise KeyboardInterrupt",
    ],
)
async def test_no_trick_passes_a_call(sandbox: Sandbox, code: str) -> None:
    reference: JsonValue = {"calls": [{"function": "f", "args": [n], "expected": n + 1000} for n in range(3)]}
    verdict = await judged(sandbox, fenced(code), reference)
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


async def test_expected_values_are_not_in_the_programs_reach(sandbox: Sandbox) -> None:
    searcher = """
import gc, os, sys
def f(n):
    texts = [open(os.path.join(d, name), errors="replace").read() for d, _, names in os.walk(".") for name in names]
    texts.append(repr(gc.get_objects())[:10_000_000])
    frame = sys._getframe()
    while frame:
        texts.append(repr(frame.f_locals))
        frame = frame.f_back
    wanted = "-".join(["SECRET", "VALUE"])
    return wanted if any(wanted in text for text in texts) else "nothing"
"""
    reference: JsonValue = {"calls": [{"function": "f", "args": [1], "expected": "SECRET-VALUE"}]}
    assert statuses(await judged(sandbox, fenced(searcher), reference)) == ["wrong_value"]


STACK = """
class Stack:
    def __init__(self, *items): self.items = list(items)
    def push(self, item): self.items.append(item)
    def pop(self): return self.items.pop()
    @staticmethod
    def twice(n): return 2 * n
"""


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ({"function": "Stack.twice", "args": [4], "expected": 8}, "passed"),
        ({"function": "Stack.pop", "expected": 8}, "raised"),
        ({"class": "Stack", "args": [1], "methods": [{"method": "pop", "expected": 1}]}, "passed"),
        ({"class": "Stack", "args": [1], "methods": [{"method": "pop", "expected": 2}]}, "wrong_value"),
        ({"class": "Stack", "methods": [{"method": "push", "args": [5]}, {"method": "pop", "expected": 5}]}, "passed"),
        ({"class": "Stack", "methods": [{"method": "push", "expected": None, "args": [1]}]}, "passed"),
        ({"class": "Stack", "methods": [{"method": "pop"}, {"method": "push", "args": [1]}]}, "raised"),
        ({"class": "Queue", "methods": [{"method": "pop"}]}, "raised"),
    ],
)
async def test_methods_are_called(sandbox: Sandbox, call: JsonValue, status: str) -> None:
    after: JsonValue = {"function": "Stack.twice", "args": [1], "expected": 2}
    verdict = await judged(sandbox, fenced(STACK), {"calls": [call, after]})
    assert statuses(verdict) == [status, "passed"]


async def test_values_that_json_cannot_write_cross(sandbox: Sandbox) -> None:
    literals = ["(1, 'a')", "{1, 2}", "b'x'", "{1: (2,)}", "1+2j", "nan", "-inf", "[None, True, 'é']", "10**0"][:-1]
    calls: list[JsonValue] = [
        {"function": "f", "args": [{"python": text}], "expected": {"python": text}} for text in literals
    ]
    verdict = await judged(sandbox, fenced("def f(x): return x"), {"calls": calls})
    assert verdict.outcome == "correct", statuses(verdict)


async def test_tests_that_the_program_leaves_no_time_for_are_not_passed(sandbox: Sandbox) -> None:
    limits: dict[str, JsonValue] = {"limits": {"wall_s": 0.5, "suite_s": 1.2}}
    calls: JsonValue = {"calls": [{"function": "f", "args": [n], "expected": n} for n in range(8)]}
    verdict = await judged(sandbox, fenced("def f(n):\n while True: pass"), calls, limits)
    found = statuses(verdict)
    assert found[:2] == ["time_limit"] * 2
    assert set(found[3:]) == {"suite_time"}


async def test_calls_stop_after_the_first_failure(sandbox: Sandbox) -> None:
    verdict = await judged(sandbox, fenced("def f(n): return 0"), SQUARES, {"stop_at_first_failure": True})
    assert statuses(verdict) == ["passed", "wrong_value", "not_run", "not_run"]


async def test_a_large_expected_value_raises_the_limit_on_output(sandbox: Sandbox) -> None:
    calls: JsonValue = {"calls": [{"function": "f", "args": [], "expected": list(range(20_000))}]}
    limits: dict[str, JsonValue] = {"limits": {"output_bytes": 1000}}
    verdict = await judged(sandbox, fenced("def f(): return list(range(20_000))"), calls, limits)
    assert verdict.outcome == "correct"
