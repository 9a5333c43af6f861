"""Results that are made to cost much, or to lose the report of the tests: never null, never a stall, never a pass."""

from __future__ import annotations

import asyncio
import time
from itertools import permutations

import pytest
from pydantic import JsonValue

from sandbox.base import Execution, SandboxFailure, Status, Usage
from sandbox.harness import RESULTS
from sandbox.local import LocalSandbox
from tests.verifiers.code.judging import fenced, judged, statuses
from verifiers.code import calls
from verifiers.code.reported import read_report

pytestmark = pytest.mark.asyncio(loop_scope="module")
DEFAULTS: dict[str, JsonValue] = {"limits": {}}

RAW = """
import os
def raw(body):
    whole = len(body).to_bytes(4, "big") + body
    while whole:
        whole = whole[os.write(4, whole):]
    os._exit(0)
def node(kind, *parts):
    return "[" + ",".join(['"%s"' % kind, *map(str, parts)]) + "]"
def returned(*nodes):
    raw(('{"op":"return","value":[0],"nodes":[%s]}' % ",".join(nodes)).encode())
"""
TUPLES = RAW + "returned(node('tuple', *([n] for n in range(1, 5001))), *[node('tuple')] * 5000)"
# the greatest common divisor of two such numbers takes seconds
FRACTION = RAW + (
    "import random\n"
    "digits = ['\"%x\"' % random.getrandbits(1_900_000) for _ in range(2)]\n"
    "returned(node('fraction', [1], [2]), *(node('int', each) for each in digits))"
)
CYCLE = RAW + "returned(node('list', [1]), node('list', [0]))"
DEEP = RAW + "returned(*(node('tuple', [n + 1]) for n in range(50_000)), node('tuple'))"
DOUBLED = RAW + "returned(node('set', [1]), *(node('tuple', [n + 1], [n + 1]) for n in range(1, 40)), node('tuple'))"


def one(expected: JsonValue) -> JsonValue:
    return {"calls": [{"function": "f", "expected": expected}]}


PAIRS: JsonValue = [[number, number] for number in range(3000)]
PERMUTATIONS: JsonValue = [list(found) for found in permutations(range(8))]
TUPLE: JsonValue = [[number] for number in range(20_000)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return [[i, i] for i in range(3000)]", PAIRS),
        ("from itertools import permutations; return [list(p) for p in permutations(range(8))]", PERMUTATIONS),
        ("return tuple((i,) for i in range(20000))", TUPLE),
        ("return [[i, i] for i in range(2999)] + [[2999, 2999]]", PAIRS),
    ],
    ids=["pairs", "permutations", "tuples", "pairs again"],
)
async def test_large_right_results_are_right(sandbox: LocalSandbox, body: str, expected: JsonValue) -> None:
    verdict = await judged(sandbox, fenced(f"def f(): {body}"), one(expected), DEFAULTS)
    assert verdict.outcome == "correct"


@pytest.mark.parametrize("code", [TUPLES, CYCLE, DEEP, DOUBLED], ids=["tuples", "cycle", "deep", "doubled"])
async def test_a_hostile_frame_is_a_test_that_is_not_passed(sandbox: LocalSandbox, code: str) -> None:
    verdict = await judged(sandbox, fenced(code), one([]), {"feedback": "full", **DEFAULTS})
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


async def test_a_result_that_costs_too_much_is_an_output_limit_and_hinders_nobody(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "estimate_cpu_s", lambda length: 0.1)
    longest_s = 0.0
    judging = asyncio.create_task(judged(sandbox, fenced(FRACTION), one(1), DEFAULTS))
    while not judging.done():
        before_s = time.thread_time()
        await asyncio.sleep(0)
        longest_s = max(longest_s, time.thread_time() - before_s)
    assert statuses(await judging) == ["output_limit"]
    assert longest_s < 0.5, "what is compared apart keeps the loop"


HUGE = ["10**5000", "[10**5000]", "{'a': [10**5000]}", "{10**5000: 1}", "{10**5000}", "-10**5000", "range(10**5000)"]


@pytest.mark.parametrize("level", ["status", "full"])
@pytest.mark.parametrize("value", [*HUGE, "__import__('fractions').Fraction(1, 10**5000 + 1)"])
async def test_a_value_without_digits_is_a_wrong_value(sandbox: LocalSandbox, value: str, level: str) -> None:
    verdict = await judged(sandbox, fenced(f"def f(): return {value}"), one(2), {"feedback": level})
    assert statuses(verdict) == ["wrong_value"]


@pytest.mark.toolchain
async def test_a_big_integer_of_javascript_is_a_wrong_value(sandbox: LocalSandbox) -> None:
    code = fenced("function f() { return [10n ** 5000n]; }", "javascript")
    assert statuses(await judged(sandbox, code, one(2), {"feedback": "full"})) == ["wrong_value"]


def asserted(count: int) -> JsonValue:
    return {"assertions": [f"assert f({number}) == {number}" for number in range(count)]}


async def test_a_right_program_passes_the_largest_suite(sandbox: LocalSandbox) -> None:
    verdict = await judged(sandbox, fenced("def f(n): return n"), asserted(10_000), {"limits": {"suite_s": 120}})
    assert (verdict.outcome, verdict.reason) == ("correct", "10000 of 10000 tests passed")


WIDE = "'\\U0001F600' * 5000"


@pytest.mark.parametrize("code", [f"def f(n): raise ValueError({WIDE})", f"def f(n): return {WIDE}"])
async def test_texts_of_the_program_crowd_no_result_out(sandbox: LocalSandbox, code: str) -> None:
    tiny: dict[str, JsonValue] = {"limits": {"output_bytes": 1, "disk_bytes": 2**20, "suite_s": 60}}
    verdict = await judged(sandbox, fenced(code), asserted(300), tiny)
    assert verdict.evidence["total"] == 300
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


FLOODS = {
    "long strings of a class": ("class S(str): pass\ndef f(n): return S('a' * 2**22 + str(n))", 30),
    "many small dicts": ("def f(n): return [{'a': 'bbbbb'} for _ in range(330_000)]", 5),
    "many classes": ("def f(n): return [type('C' * 200, (), {})() for _ in range(3000)]", 5),
    "printing": ("def f(n): print('x' * 2**20); return n - 1", 30),
}
"""Programs, and of how many tests: fewer where each ends a process and takes a second or two."""


@pytest.mark.parametrize(("code", "count"), FLOODS.values(), ids=FLOODS)
async def test_a_tests_process_that_is_flooded_is_the_programs_doing(
    sandbox: LocalSandbox, code: str, count: int
) -> None:
    params: dict[str, JsonValue] = {"limits": {"memory_bytes": 96 * 2**20, "wall_s": 10, "suite_s": 20}}
    verdict = await judged(sandbox, fenced(code), asserted(count), params)
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


@pytest.mark.parametrize("status", [Status.MEMORY_LIMIT, Status.OUTPUT_LIMIT])
async def test_where_no_report_came_back_from_a_flooded_process_nothing_is_passed(status: Status) -> None:
    ended = Execution(status, Usage(1.0, 1.0, 0))
    assert [result.status for result in await read_report(ended, 2)] == ["error", "not_run"]


@pytest.mark.parametrize("status", [Status.FINISHED, Status.NONZERO_EXIT, Status.SIGNALLED, Status.TIME_LIMIT])
async def test_a_process_that_never_began_is_a_failure_of_ours(status: Status) -> None:
    with pytest.raises(SandboxFailure):
        await read_report(Execution(status, Usage(1.0, 1.0, 0)), 2)


async def test_a_long_report_is_read_as_a_short_one_is() -> None:
    line = b'{"name": "assertions[%d]", "status": "passed", "message": "", "detail": "", "elapsed_s": 0.5}\n'
    for count in (3, 3000):
        file = b'{"tests": []}\n' + b"".join(line % number for number in range(count - 1))
        found = await read_report(Execution(Status.FINISHED, Usage(1.0, 1.0, 0), files={RESULTS: file}), count)
        assert [result.status for result in found] == ["passed"] * (count - 1) + ["error"]
        assert found[0].elapsed_s == 0.5


async def test_a_long_report_that_the_program_forged_is_read_apart() -> None:
    file = b'{"tests": 5}\n' + b"[" * 1_000_000 + b"\n" + b'{"name": ' + b"9" * 1_000_000 + b"}\n"
    found = await read_report(
        Execution(Status.FINISHED, Usage(1.0, 1.0, 0), files={RESULTS: file}), 2, same_process=True
    )
    assert [result.status for result in found] == ["error", "not_run"]
