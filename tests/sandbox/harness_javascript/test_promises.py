"""Promises and asynchronous functions of the tests' reach the solution, and what it gives settles while they wait."""

from __future__ import annotations

import pytest

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]

SOLUTION = """
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
async function each(items, f) { const out = []; for (const item of items) out.push(await f(item)); return out; }
async function fill(out, items, f) { for (const item of items) out.push(await f(item)); }
async function* stream(items, f) { for (const item of items) yield await f(item); }
async function retry(f, times) {
  for (let n = 1; ; n += 1) { try { return await f(n); } catch (e) { if (n === times) throw e; await sleep(5); } }
}
function all(promises) {
  return new Promise((done, fail) => {
    const out = [];
    let left = promises.length;
    promises.forEach((p, i) => Promise.resolve(p).then((v) => { out[i] = v; if (--left === 0) done(out); }, fail));
  });
}
const settledAll = (promises) => Promise.allSettled(promises);
const within = (f, ms) => (...args) => Promise.race([f(...args), sleep(ms).then(() => Promise.reject('too late'))]);
function memo(f) { const kept = new Map(); return (k) => { if (!kept.has(k)) kept.set(k, f(k)); return kept.get(k); }; }
async function pool(tasks, n) {
  let next = 0;
  const work = async () => { while (next < tasks.length) await tasks[next++](); };
  await Promise.all(Array.from({ length: n }, work));
}
const promisify = (f) => (...args) => new Promise((done, fail) => f(...args, (e, v) => (e ? fail(e) : done(v))));
async function one(x) { return x + 1; }
async function apply(f, x) { return f(x); }
class Queue { constructor() { this.jobs = []; } add(f) { this.jobs.push(f); return this; }
  async run() { const out = []; for (const f of this.jobs) out.push(await f()); return out; } }
const series = (fs) => fs.reduce((p, f) => p.then(f), Promise.resolve(1));
"""
TASK = (
    "let live = 0, most = 0; const task = async () => { most = Math.max(most, ++live);"
    " await new Promise((r) => setTimeout(r, 10)); live -= 1; }; await pool([task, task, task, task], 2);"
)
TESTS = [
    ("assert.deepStrictEqual(await each([1, 2], async (x) => x * 2), [2, 4])", "passed"),
    ("assert.deepStrictEqual(await each([1, 2], async (x) => x * 2), [2, 5])", "failed"),
    ("assert.deepStrictEqual(await each([1], (x) => new Promise((r) => setTimeout(() => r(x), 20))), [1])", "passed"),
    ("await assert.rejects(each([1], async () => { throw new RangeError('no'); }), RangeError)", "passed"),
    ("await assert.rejects(each([1], async () => 1), RangeError)", "failed"),
    ("const out = []; await fill(out, [1, 2], async (x) => x * 3); assert.deepStrictEqual(out, [3, 6])", "passed"),
    ("for await (const x of stream([4], async (x) => x)) assert.strictEqual(x, 4)", "passed"),
    (
        "let n = 0; const f = async () => { if (++n < 3) throw new Error('a'); return n; };"
        " assert.strictEqual(await retry(f, 5), 3)",
        "passed",
    ),
    (
        "let n = 0; await assert.rejects(retry(async () => { n += 1; throw 'b'; }, 2), (e) => e === 'b');"
        " assert.strictEqual(n, 2)",
        "passed",
    ),
    (
        "const late = new Promise((r) => setTimeout(r, 10, 3));"
        " assert.deepStrictEqual(await all([Promise.resolve(1), 2, late]), [1, 2, 3])",
        "passed",
    ),
    ("await assert.rejects(all([Promise.reject(new TypeError('x'))]), /x/)", "passed"),
    (
        "const [a, b] = await settledAll([Promise.resolve(1), Promise.reject('no')]);"
        " assert.deepStrictEqual([a.value, b.reason], [1, 'no'])",
        "passed",
    ),
    (
        "const f = within(() => new Promise((r) => setTimeout(r, 300)), 30);"
        " await assert.rejects(f(), (e) => e === 'too late')",
        "passed",
    ),
    ("assert.strictEqual(await within(async (x) => x * x, 300)(5), 25)", "passed"),
    (
        "let n = 0; const f = memo(async (k) => { n += 1; return k; }); await f(2); assert.strictEqual(await f(2), 2);"
        " assert.strictEqual(n, 1)",
        "passed",
    ),
    (TASK + " assert.strictEqual(most, 2)", "passed"),
    (TASK + " assert.strictEqual(most, 3)", "failed"),
    (
        "const f = promisify((x, cb) => setTimeout(() => cb(null, 2 * x), 10)); assert.strictEqual(await f(4), 8)",
        "passed",
    ),
    ("assert.strictEqual(await apply((x) => one(x), 3), 4)", "passed"),
    ("assert.strictEqual(await apply(async (x) => (await one(x)) * 2, 3), 8)", "passed"),
    ("assert.deepStrictEqual(await new Queue().add(async () => 1).add(() => 2).run(), [1, 2])", "passed"),
    ("assert.strictEqual(await series([async (x) => x + 1, (x) => x * 5]), 10)", "passed"),
    ("const t = Date.now(); await Promise.all([sleep(200), sleep(200)]); assert(Date.now() - t < 395)", "passed"),
    ("const p = Promise.resolve(1); assert.strictEqual(await apply(() => p, 0), 1)", "passed"),
]


@pytest.mark.parametrize(("test", "status"), TESTS)
async def test_promises_of_both_sides_wait_for_each_other(sandbox: LocalSandbox, test: str, status: str) -> None:
    assert await statuses(sandbox, SOLUTION, test, per_test_s=10.0) == [status]


FORGED = (
    "const { writeSync } = require('fs'); async function each(items, f) { await f(1);"
    " const body = Buffer.from(JSON.stringify({ nodes: [], updates: [], %s }));"
    " const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(4, Buffer.concat([head, body]));"
    " return 1; }"
)
HOSTILE = {
    "never settles": "async function each(items, f) { await f(1); return new Promise(() => {}); }",
    "hangs": "async function each(items, f) { await f(1); for (;;); }",
    "exits": "async function each(items, f) { await f(1); process.exit(0); }",
    "asks without end": "async function each(items, f) { for (;;) await f(1); }",
    "gives what stays": "async function each(items, f) { return new (class A { valueOf() { return 1; } })(); }",
    "its own promises": "Promise.prototype.then = function () { throw 1; };"
    " async function each(items, f) { return f(1); }",
    "settles what nobody has": FORGED % "op: 'return', value: 1, settled: [7, 'a', null, {}]",
    "settles a million times": FORGED % "op: 'return', value: 1, settled: new Array(1e6).fill(0)",
    "settles no list": FORGED % "op: 'return', value: 1, settled: 7",
    "is late for ever": FORGED % "op: 'later', number: {}",
}


@pytest.mark.parametrize("trick", HOSTILE)
async def test_no_promise_of_a_wrong_solution_passes_or_is_nobodys_fault(sandbox: LocalSandbox, trick: str) -> None:
    test = "assert.deepStrictEqual(await each([1, 2, 3], async (x) => x * 2), [2, 4, 6])"
    [status] = await statuses(sandbox, HOSTILE[trick], test, per_test_s=1.0)
    assert status in {"time_limit", "channel_closed", "error", "not_plain", "failed"}
