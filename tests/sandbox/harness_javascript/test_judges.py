"""Frames of a candidate's own making, and objects that are asked what they have: neither reaches what judges."""

from __future__ import annotations

import pytest

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import asserted, statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]
SPEAKS = """
function say(frame) {
  const body = Buffer.from(JSON.stringify(frame));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  require('fs').writeSync(4, Buffer.concat([head, body]));
}
"""
YES = "['function', 0, 'yes']"
UPDATES = {
    "what makes arrays": ("constructor", "['dict', 'isArray', [1]]"),
    "what arrays are made of": ("__proto__", "['list', 7]"),
    "a method of arrays": ("every", "['dict', 'call', [1]]"),
    "nothing": (99, "['list', 7]"),
    "a part": (0.5, "['list', 7]"),
}


@pytest.mark.parametrize("name", UPDATES)
async def test_a_reply_changes_what_was_sent_and_nothing_else(sandbox: LocalSandbox, name: str) -> None:
    index, node = UPDATES[name]
    reply = f"{{ op: 'return', value: null, nodes: [{YES}], updates: [[{index!r}, {node}]] }}"
    solution = f"{SPEAKS}function f(list) {{ say({reply}); }}"
    [result] = await asserted(sandbox, solution, "f([1]); assert(Array.isArray(3)); assert([1].every((x) => x === 2))")
    assert (result.status, result.message) == ("channel_closed", "an update of something that was not sent")


@pytest.mark.parametrize("name", ["push", "constructor", "__defineGetter__", "length", "-1", 7])
async def test_a_candidate_calls_what_it_was_given_and_nothing_else(sandbox: LocalSandbox, name: str | int) -> None:
    request = f"{{ op: 'callback', id: {name!r}, args: [7], kwargs: {{}}, nodes: [] }}"
    value = f"{{ op: 'return', value: [2], nodes: [['callback', {name!r}]], updates: [] }}"
    for frame in (request, value):
        solution = f"{SPEAKS}function f(g) {{ say({frame}); return 4; }}"
        [result] = await asserted(sandbox, solution, "assert(f((x) => x))")
        assert result.status == "channel_closed", frame


@pytest.mark.parametrize("name", ["constructor", "__proto__", "toString", "valueOf"])
async def test_no_name_of_a_number_is_a_function_of_the_language(sandbox: LocalSandbox, name: str) -> None:
    value = f"{{ op: 'return', value: [0], nodes: [['float', '{name}']], updates: [] }}"
    [result] = await asserted(sandbox, f"{SPEAKS}function f() {{ say({value}); }}", "assert(f())")
    assert result.status == "channel_closed"


async def test_an_object_is_not_told_what_it_is_asked_to_have(sandbox: LocalSandbox) -> None:
    hostile = "function f() { return new Proxy(new (class A {})(), { has: () => true, get: () => 1 }); }"
    assert await statuses(sandbox, hostile, "assert('right' in f())") == ["failed"]
    many = "class A {}; function f() { const a = new A(); for (let n = 0; n < 2000; n++) a['n' + n] = 1; return a; }"
    assert await statuses(sandbox, many, "assert('n7' in f())") == ["not_plain"]


async def test_an_object_has_what_it_and_its_classes_have(sandbox: LocalSandbox) -> None:
    solution = (
        "class A { constructor() { this.own = 1; } method() {} get got() { return 2; } }\n"
        "class B extends A { other() {} }\nfunction make() { return new B(); }"
    )
    tests = (
        "const b = make(); assert('own' in b && 'method' in b && 'got' in b && 'other' in b && 'toString' in b)",
        "assert(!('third' in make()))",
        "const { own } = make(); assert.strictEqual(own, 1)",
    )
    assert await statuses(sandbox, solution, *tests) == ["passed"] * len(tests)
