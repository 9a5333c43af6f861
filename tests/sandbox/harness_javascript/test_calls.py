"""Calls from the host: what comes back is plain data, or why it is none."""

from __future__ import annotations

import pytest

from sandbox.harness import Call, Instance, MethodCall, NotPlain, Raised, Returned
from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import called

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]
SOLUTION = """
console.log('noise');
const add = (a, b) => a + b;
class Counter {
  constructor(start = 0) { this.n = start; }
  up(by = 1) { this.n += by; return this.n; }
  static zero() { return 0; }
}
class Odd extends Error {}
const boom = () => { throw new Odd('bad'); };
const toss = () => { throw 'text'; };
const plain = () => [undefined, null, true, 'x\\ud800', 1.5, 2 ** 60, 2n ** 70n, { a: [1] },
  new Map([[1, 2]]), new Set([3]), Uint8Array.of(255)];
const later = async (x) => x + 1;
const same = (x) => x;
const named = ({ a, b }) => a - b;
const cycle = () => { const all = []; all.push(all); return all; };
const hang = () => { for (;;); };
"""


async def test_results_are_plain_data(sandbox: LocalSandbox) -> None:
    calls = [
        Call("add", (1, 2)),
        Call("plain"),
        Call("later", (1,)),
        Call("same", ({"a": (1, 2.0), "b": 2**70},)),
        Call("named", (), {"a": 3, "b": 1}),
    ]
    assert await called(sandbox, SOLUTION, calls) == [
        Returned(3),
        Returned([None, None, True, "x\ud800", 1.5, 2.0**60, 2**70, {"a": [1]}, {1: 2}, {3}, b"\xff"]),
        Returned(2),
        Returned({"a": [1, 2], "b": 2**70}),
        Returned(2),
    ]


async def test_objects_keep_their_state_and_methods_need_none(sandbox: LocalSandbox) -> None:
    steps = Instance("Counter", [MethodCall("up"), MethodCall("up", (5,)), MethodCall("down")], args=(10,))
    results = await called(sandbox, SOLUTION, [steps, Call("Counter.up", (2,)), Call("Counter.zero")])
    assert results[:2] == [Returned(11), Returned(16)]
    assert isinstance(results[2], Raised)
    assert results[3:] == [Returned(2), Returned(0)]


async def test_what_is_no_plain_data_is_said_to_be_none(sandbox: LocalSandbox) -> None:
    solution = (
        SOLUTION + "const f1 = () => new Counter(); const f2 = () => Symbol('x'); const f3 = () => add; "
        "const f4 = () => new Proxy([], {});"
    )
    results = await called(
        sandbox, solution, [Call("f1"), Call("f2"), Call("f3"), Call("f4"), Call("cycle"), Call("add", (1, 1))]
    )
    assert [type(result) for result in results] == [NotPlain] * 5 + [Returned]


async def test_what_is_thrown_is_told(sandbox: LocalSandbox) -> None:
    results = await called(sandbox, SOLUTION, [Call("boom"), Call("toss"), Call("missing"), Call("add", (1, 1))])
    assert results[:2] == [Raised("Odd", "bad"), Raised("throw", "text")]
    assert isinstance(results[2], Raised)
    assert results[3] == Returned(2)


async def test_results_before_a_hang_are_there(sandbox: LocalSandbox) -> None:
    assert await called(sandbox, SOLUTION, [Call("add", (1, 1)), Call("hang"), Call("add", (1, 1))]) == [Returned(2)]


async def test_a_solution_that_cannot_be_loaded_raises_in_every_call(sandbox: LocalSandbox) -> None:
    results = await called(sandbox, "throw new TypeError('early')", [Call("f"), Call("g")])
    assert results == [Raised("TypeError", "early")] * 2
