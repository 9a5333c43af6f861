"""Honest JavaScript: what passes in one process passes in two, and what fails fails."""

from __future__ import annotations

import pytest

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import asserted, statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]
SOLUTION = """
console.log('printed while loading');
function add(a, b) { return a + b; }
const mul = (a, b) => a * b, sub = (a, b) => a - b;
class Stack {
  constructor(items = []) { this.items = items; }
  push(item) { this.items.push(item); return this; }
  pop() { return this.items.pop(); }
  get size() { return this.items.length; }
  static of(...items) { return new Stack(items); }
  *[Symbol.iterator]() { yield* this.items; }
  async drain() { return this.items.splice(0); }
}
class Deep extends Stack {}
class OwnError extends RangeError { constructor(text) { super(text); this.code = 7; } }
function boom() { throw new OwnError('bad'); }
function sort(list) { list.sort((a, b) => a - b); }
function each(list, f) { return list.map((item) => f(item)); }
function caught(f) { try { f(); } catch (error) { return error.message; } }
async function later(x) { return x * 2; }
async function fails() { throw new TypeError('no'); }
function odd() {
  return [undefined, null, NaN, -0, Infinity, 10n ** 30n, 2 ** 60, new Map([[1, { a: 2 }]]), new Set(['x']),
    new Date(5), Uint8Array.of(1, 2), '\\ud800'];
}
function cycle() { const made = { list: [] }; made.list.push(made); return made; }
function same(x) { return x; }
function kinds(x) { return [typeof x, x === null, Array.isArray(x), x instanceof Map, Object.is(x, -0)]; }
function grow(tree) { tree.left = { value: tree.value + 1, up: tree }; return tree; }
const table = { answer: 42, twice: (x) => 2 * x };
"""

TESTS = [
    "assert.strictEqual(add(1, 2), 3)",
    "assert(sub(mul(2, 3), 1) === 5)",
    "console.assert(add(1, 1) === 2, 'sum')",
    "const { add } = require('./solution'); assert.equal(add(1, 1), 2)",
    "const solution = require('./solution.js'); assert.strictEqual(solution.mul(2, 2), 4)",
    "const assert = require('node:assert').strict; assert.equal(add(1, 1), 2)",
    "import { add as plus } from './solution.js';\nimport assert from 'assert';\nassert.equal(plus(1, 1), 2);",
    "assert.strictEqual(solution.add('a', 'b'), 'ab')",
    "const s = new Stack(); assert.strictEqual(s.push(1).push(2), s); assert.strictEqual(s.size, 2); "
    "assert.strictEqual(s.pop(), 2)",
    "const s = Stack.of(1, 2, 3); assert.deepStrictEqual([...s], [1, 2, 3]); assert(s instanceof Stack)",
    "assert(new Deep() instanceof Stack); assert(!(new Stack() instanceof Deep))",
    "const s = Stack.of(1); s.items = [7]; assert.strictEqual(s.pop(), 7)",
    "const s = Stack.of(1); assert.deepStrictEqual(await s.drain(), [1]); assert.strictEqual(s.size, 0)",
    "assert.deepEqual(Stack.of(1), { items: [1] })",
    "assert.throws(() => boom(), OwnError)",
    "assert.throws(boom, { message: 'bad', code: 7 })",
    "assert.throws(boom, RangeError); assert.throws(boom, /bad/)",
    "const list = [3, 1, 2]; assert.strictEqual(sort(list), undefined); assert.deepStrictEqual(list, [1, 2, 3])",
    "assert.deepStrictEqual(each([1, 2], (x) => [x]), [[1], [2]])",
    "assert.strictEqual(caught(() => { throw new Error('mine'); }), 'mine')",
    "assert.strictEqual(await later(2), 4); later(3).then((x) => assert.strictEqual(x, 6))",
    "await assert.rejects(fails(), TypeError); await assert.rejects(() => fails(), /no/)",
    "assert.deepStrictEqual(odd(), [undefined, null, NaN, -0, Infinity, 10n ** 30n, 2 ** 60, new Map([[1, { a: 2 }]]), "
    "new Set(['x']), new Date(5), Uint8Array.of(1, 2), '\\ud800'])",
    "const made = cycle(); assert.strictEqual(made.list[0], made)",
    "const x = { a: [1] }; x.me = x; assert.strictEqual(same(x), x)",
    "assert.deepStrictEqual(kinds(-0), ['number', false, false, false, true])",
    "assert.deepStrictEqual(kinds(10n), ['bigint', false, false, false, false])",
    "assert.deepStrictEqual(kinds(undefined)[0], 'undefined'); assert(kinds(null)[1]); assert(kinds(new Map())[3])",
    "const tree = { value: 1 }; assert.strictEqual(grow(tree), tree); assert.strictEqual(tree.left.up, tree)",
    "class Node { constructor(value) { this.value = value; } } const n = new Node(1); assert.strictEqual(grow(n), n); "
    "assert.strictEqual(n.left.value, 2)",
    "assert.strictEqual(table.answer, 42); assert.strictEqual(table.twice(4), 8)",
    "assert.strictEqual(typeof add, 'function'); assert.strictEqual(typeof missing, 'undefined')",
]


async def test_what_passes_in_one_process_passes_in_two(sandbox: LocalSandbox) -> None:
    results = await asserted(sandbox, SOLUTION, *TESTS)
    assert {test: result.detail for test, result in zip(TESTS, results, strict=True) if not result.passed} == {}


@pytest.mark.parametrize(
    ("test", "status"),
    [
        ("assert.strictEqual(add(1, 2), 4)", "failed"),
        ("assert(add(1, -1))", "failed"),
        ("console.assert(add(1, 1) === 3)", "failed"),
        ("assert.notStrictEqual(add(1, 1), 2)", "failed"),
        ("assert.deepStrictEqual(odd(), [])", "failed"),
        ("assert.strictEqual(-0, same(0))", "failed"),
        ("assert.throws(() => add(1, 2))", "failed"),
        ("await assert.rejects(later(1))", "failed"),
        ("boom()", "error"),
        ("await fails()", "error"),
        ("missing(1)", "error"),
        ("add(1,", "bad_test"),
        ("assert(new Stack())", "not_plain"),
        ("assert(same)", "not_plain"),
        ("assert.notEqual(new Stack(), 5)", "not_plain"),
        ("assert.ok(new Proxy({}, {})) || assert(Symbol)", "passed"),
    ],
)
async def test_what_fails_in_one_process_fails_in_two(sandbox: LocalSandbox, test: str, status: str) -> None:
    assert await statuses(sandbox, SOLUTION, test) == [status]


@pytest.mark.parametrize(
    ("solution", "test"),
    [
        ("module.exports = (a, b) => a + b", "assert.equal(require('./solution')(1, 2), 3)"),
        ("module.exports = function add(a, b) { return a + b; }", "assert.equal(add(1, 2), 3)"),
        ("exports.add = (a, b) => a + b", "assert.equal(add(1, 2), require('./solution').add(2, 1))"),
        ("export function add(a, b) { return a + b; }\nconst hidden = 5;", "assert.equal(add(hidden, 2), 7)"),
        ("import fs from 'fs';\nexport default function add(a, b) { return a + b; }", "assert.equal(add(1, 2), 3)"),
        ("const add = (a, b) => a + b;\nexport { add as sum };", "assert.equal(sum(1, 2), add(2, 1))"),
        ("const fs = require('fs');\nlet add = (a, b) => a + b;", "assert.equal(add(1, 2), 3)"),
        ("// export default nothing\nfunction add(a, b) { return a + b; }", "assert.equal(add(1, 2), 3)"),
        ("var add = async function* () { yield 1; }; add = (a, b) => a + b;", "assert.equal(add(1, 2), 3)"),
    ],
)
async def test_every_way_to_export_is_known(sandbox: LocalSandbox, solution: str, test: str) -> None:
    assert await statuses(sandbox, solution, test) == ["passed"]


async def test_a_test_that_hangs_ends_alone_and_soon(sandbox: LocalSandbox) -> None:
    results = await asserted(
        sandbox, "function f(x) { while (x) {} return 1; }", "assert(f(0))", "f(1)", "f(0)", per_test_s=1.0
    )
    assert [str(result.status) for result in results] == ["passed", "time_limit", "not_run"]


async def test_a_solution_that_cannot_be_loaded_fails_every_test(sandbox: LocalSandbox) -> None:
    assert await statuses(sandbox, "throw new Error('early')", "assert(1)", "assert(2)") == ["error", "error"]
    assert await statuses(sandbox, "function (", "assert(1)") == ["error"]


KEPT = """
class Box {
  constructor() { this.items = []; this.stock = {}; this.seen = new Set(); this.kids = []; this.map = new Map(); }
  total() { return this.items.reduce((a, b) => a + b, 0); }
  put(name) { this.stock[name] = (this.stock[name] ?? 0) + 1; }
  all() { return this.kids.reduce((sum, kid) => sum + kid.total(), 0); }
  get copy() { return [...this.items]; }
}
const log = [];
function note(x) { log.push(x); return log.length; }
async function later(x) { return x; }
"""


@pytest.mark.parametrize(
    "test",
    [
        "b.items.push(1, 2); assert.strictEqual(b.total(), 3); b.items.pop(); assert.strictEqual(b.total(), 1)",
        "b.stock.x = 4; b.put('x'); assert.deepStrictEqual(b.stock, { x: 5 })",
        "b.put('x'); delete b.stock.x; b.put('y'); assert.deepStrictEqual(b.stock, { y: 1 })",
        "b.kids.push(new Box()); b.kids[0].items.push(5); assert.strictEqual(b.all(), 5)",
        "b.seen.add(1); assert(b.seen.has(1)); b.map.set('k', [1]); assert.deepStrictEqual(b.map.get('k'), [1])",
        "b.copy.push(1); assert.strictEqual(b.total(), 0)",
        "note(1); log.length = 0; assert.strictEqual(note(2), 1)",
    ],
)
async def test_what_a_test_puts_into_an_attribute_is_there(sandbox: LocalSandbox, test: str) -> None:
    assert await statuses(sandbox, KEPT, f"const b = new Box(); {test}") == ["passed"]


@pytest.mark.parametrize(
    ("test", "status"),
    [
        ("(async () => { assert.strictEqual(await later(1), 1); })()", "passed"),
        ("(async () => { assert.strictEqual(await later(1), 2); })()", "failed"),
        ("later(3).then((x) => assert.strictEqual(x, 4))", "failed"),
        ("setTimeout(() => assert.strictEqual(1, 2), 20)", "failed"),
        ("(async () => { await new Promise((r) => setTimeout(r, 30)); assert(await later(false)); })()", "failed"),
        ("setInterval(() => 0, 10)", "time_limit"),
    ],
)
async def test_a_test_that_nobody_awaits_is_waited_for(sandbox: LocalSandbox, test: str, status: str) -> None:
    assert (await statuses(sandbox, KEPT, test, per_test_s=1.0))[0] == status
