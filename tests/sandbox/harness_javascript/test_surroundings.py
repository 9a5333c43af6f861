"""What tests do in their own process: the solution meets it, or the test is told to need one process."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import statuses

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOLUTION = """
const fs = require('fs');
class Animal { constructor(name) { this.name = name; } speak() { return this.sound(); } sound() { return '...'; } }
function alert() { return 1; }
function now() { return Date.now(); }
function roll() { return Math.random(); }
function home() { return process.env.HOUSE ?? 'none'; }
function size(file) { return fs.readFileSync(file, 'utf8').length; }
function hi(n) { for (let i = 0; i < n; i++) console.log('hi', i); process.stdout.write('end'); return 1; }
function later(f) { setTimeout(f, 20); }
function run(f) { return f(); }
function length(f) { return f.length; }
function swallow(f) { try { f(); } catch { return 1; } }
function twice(numbers) { return numbers.map((n) => 2 * n); }
function clear(numbers) { numbers.fill(0); }
function add(a, b) { return a + b; }
async function* count(n) { for (let i = 0; i < n; i++) yield i; }
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[LocalSandbox]:
    local = LocalSandbox()
    yield local
    await local.close()


TESTS = [
    ("Math.random = () => 0.5; assert.strictEqual(roll(), 0.5)", "unsupported"),
    ("const own = Math.random; Math.random = () => 0.5; Math.random = own; assert(roll() < 1)", "passed"),
    ("Date.now = () => 5; assert.strictEqual(now(), 5)", "unsupported"),
    ("globalThis.setTimeout = (f) => f(); later(() => 1)", "unsupported"),
    ("globalThis.document = {}; now()", "unsupported"),
    ("process.exit = () => 1; try { now() } catch {}", "unsupported"),
    ("const fs = require('fs'); fs.readFileSync = () => 'abc'; assert.strictEqual(size('x'), 3)", "unsupported"),
    ("require('fs').writeFileSync('/tmp/x.txt', 'abc'); assert.strictEqual(size('/tmp/x.txt'), 3)", "unsupported"),
    ("require('fs').writeFileSync('x.txt', 'abc'); assert.strictEqual(size('x.txt'), 3)", "unsupported"),
    ("require('fs').writeFileSync('x.txt', 'abc'); assert.strictEqual(add(add('x', '.txt'), ''), 'x.txt')", "passed"),
    ("require('fs').writeFileSync('x.txt', 'abc'); add(`./${twice([1]) && add('x', '')}.txt`, '')", "passed"),
    ("require('fs').writeFileSync('x.txt', 'abc'); add(`/tmp/${add('x', '')}`, ''); size(add('x.', 'txt'))", "error"),
    ("process.chdir('/tmp'); now()", "unsupported"),
    ("class Dog extends Animal { sound() { return 'w'; } } assert.strictEqual(new Dog().speak(), 'w')", "unsupported"),
    ("assert.strictEqual(await add(await run(async () => 1), 2), 3)", "passed"),
    ("process.env.HOUSE = 'blue'; assert.strictEqual(home(), 'blue')", "passed"),
    ("process.env.HOUSE = 'blue'; home(); delete process.env.HOUSE; assert.strictEqual(home(), 'none')", "passed"),
    (
        "const seen = []; console.log = (...a) => seen.push(a); hi(1); assert.deepStrictEqual(seen, [['hi', 0]])",
        "passed",
    ),
    ("let out = ''; process.stdout.write = (s) => (out += s); hi(1); assert.strictEqual(out, 'hi 0\\nend')", "passed"),
    (
        "const { mock } = require('node:test'); const m = mock.method(console, 'log'); hi(2);"
        " assert.strictEqual(m.mock.callCount(), 2)",
        "passed",
    ),
    ("let n = 0; later(() => n++); await new Promise((r) => setTimeout(r, 300)); assert.strictEqual(n, 1)", "passed"),
    ("class Own extends Error {} assert.throws(() => run(() => { throw new Own('a'); }), Own)", "passed"),
    ("assert.throws(() => run(() => { throw 'text'; }), (e) => e === 'text')", "passed"),
    ("assert.strictEqual(length((a, b) => a), 2)", "passed"),
    ("assert.deepStrictEqual(twice(new Float64Array([1, 2.5])), new Float64Array([2, 5]))", "passed"),
    ("const a = new Int32Array([1, -2]); clear(a); assert.deepStrictEqual(a, new Int32Array(2))", "passed"),
    ("const a = new Uint8Array([1, 2]); clear(a); assert.deepStrictEqual(a, new Uint8Array(2))", "passed"),
    ("const all = []; for await (const n of count(3)) all.push(n); assert.deepStrictEqual(all, [0, 1, 2])", "passed"),
    ("swallow(() => assert.strictEqual(new Animal('x'), 1))", "not_plain"),
    ("const { add } = await import('./solution.js'); assert.strictEqual(add(1, 2), 3)", "passed"),
]


@pytest.mark.parametrize(("test", "status"), TESTS)
async def test_what_only_one_process_could_do_is_told_from_a_failure(
    sandbox: LocalSandbox, test: str, status: str
) -> None:
    exports = "module.exports = { add, size };"
    assert await statuses(sandbox, SOLUTION + exports, test) == [status]


@pytest.mark.parametrize(
    ("test", "status"),
    [
        ("test('sum', () => assert.strictEqual(add(1, 2), 3))", "passed"),
        ("test('sum', () => assert.strictEqual(add(1, 2), 4))", "failed"),
        ("test('sum', async () => { await null; assert.strictEqual(add(1, 2), 4); })", "failed"),
        ("describe('all', () => { it('sum', () => assert.strictEqual(add(1, 2), 4)); })", "failed"),
        (
            "describe('all', () => { let a; beforeEach(() => { a = 1; });"
            " it('sum', () => assert.strictEqual(add(a, 2), 3)); })",
            "passed",
        ),
        ("test('all', async (t) => { await t.test('sum', () => assert.strictEqual(add(1, 2), 4)); })", "failed"),
        ("test('all', (t) => { t.test('sum', () => assert.strictEqual(add(1, 2), 4)); })", "failed"),
        ("test('done', (t, done) => setTimeout(() => done(new Error('no')), 5))", "error"),
    ],
)
async def test_a_test_of_nodes_runner_fails_where_it_fails(sandbox: LocalSandbox, test: str, status: str) -> None:
    head = "const { test, describe, it, beforeEach } = require('node:test');\n"
    assert await statuses(sandbox, SOLUTION, head + test) == [status]


@pytest.mark.parametrize(
    ("solution", "test"),
    [
        ("export default function add(a, b) { return a + b; }", "import add from './solution.js'"),
        ("export default (a, b) => a + b;", "import add from './solution.js'"),
        ("export default (a, b) => a + b;\nexport const one = 1;", "import add, { one } from './solution.js'"),
        ("module.exports = (a, b) => a + b;", "import add from './solution.js'"),
    ],
)
async def test_a_default_export_is_what_is_imported(sandbox: LocalSandbox, solution: str, test: str) -> None:
    right, wrong = (f"{test};\nassert.strictEqual(add(1, 2), {result});" for result in (3, 4))
    assert await statuses(sandbox, solution, right, wrong) == ["passed", "failed"]
