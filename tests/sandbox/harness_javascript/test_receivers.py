"""What a function is called on, errors and thenables cross between tests and solution as they do in one process."""

from __future__ import annotations

import pytest

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]

SOLUTION = """
class Later {
  constructor(run) { this.kept = new Promise(run); }
  then(done, fail) { return new Later((a, b) => this.kept.then(done, fail).then(a, b)); }
  catch(fail) { return this.then(undefined, fail); }
  static of(value) { return new Later((done) => done(value)); }
}
class Deferred {
  constructor() { this.waiting = []; }
  then(done) { if ('value' in this) done(this.value); else this.waiting.push(done); }
  resolve(value) { this.value = value; this.waiting.forEach((done) => done(value)); }
}
class Emitter {
  constructor() { this.on = []; }
  add(f) { this.on.push(f); return this; }
  emit(...args) { this.on.forEach((f) => f.apply(this, args)); }
}
const double = async (x) => 2 * await x;
const bind = (f, self, ...before) => (...args) => f.apply(self, [...before, ...args]);
function call(f, self, ...args) {
  const [held, key] = [Object(self), Symbol()];
  held[key] = f;
  try { return held[key](...args); } finally { delete held[key]; }
}
const once = (f) => { let done = false, kept; return function (...args) {
  if (!done) { done = true; kept = f.apply(this, args); } return kept; }; };
const total = (box) => box.total();
function bump(box) { box.add(); box.add(); return box.count; }
const told = (error) => `${error.name}: ${error.message} ${error.code} ${error instanceof RangeError}`;
const same = (error) => error;
const tried = (f) => { try { return { value: f() }; } catch (error) { return { error }; } };
const soon = (f) => { Promise.resolve().then(f); };
const failing = () => ({ error: new TypeError('no') });
"""
READ = "function read(y) { return this.x + y } "
BOX = "const box = { count: 0, add() { this.count += 1 } }; "
TESTS = [
    ("assert.strictEqual(await Later.of(3), 3)", "passed"),
    ("assert.strictEqual(await Later.of(3), 4)", "failed"),
    ("assert.strictEqual(await new Later((r) => setTimeout(r, 5, 3)).then((x) => x + 1), 4)", "passed"),
    ("await assert.rejects(async () => { await new Later((_, no) => no(new RangeError('a'))) }, RangeError)", "passed"),
    ("let got; await new Later((_, no) => no(7)).catch((e) => { got = e }); assert.strictEqual(got, 7)", "passed"),
    ("assert.deepStrictEqual(await Promise.all([Later.of(1), 2]), [1, 2])", "passed"),
    ("const d = new Deferred(); setTimeout(() => d.resolve(9), 5); assert.strictEqual(await d, 9)", "passed"),
    ("assert.ok(Later.of(3))", "not_plain"),
    ("assert.strictEqual(await double({ v: 4, then(r) { r(this.v) } }), 8)", "passed"),
    (
        "class T { constructor(v) { this.v = v } then(r) { r(this.v) } } assert.equal(await double(new T(5)), 10)",
        "passed",
    ),
    ("class T { then() { throw new Error('b') } } await assert.rejects(double(new T()), /b/)", "passed"),
    ("await assert.rejects(double({ then(_, no) { no(new RangeError('bad')) } }), /bad/)", "passed"),
    (READ + "assert.strictEqual(bind(read, { x: 40 })(2), 42)", "passed"),
    (READ + "assert.strictEqual(bind(read, { x: 40 }, 2)(), 43)", "failed"),
    (READ + "assert.strictEqual(call(read, { x: 40 }, 2), 42)", "passed"),
    (READ + "const o = { x: 1, y: once(function () { return this.x }) }; assert.strictEqual(o.y(), 1)", "passed"),
    ("assert.strictEqual(bind((x) => x, { x: 40 })(2), 2)", "passed"),
    ("assert.strictEqual(total({ a: [1, 2], total() { return this.a[0] + this.a[1] } }), 3)", "passed"),
    (BOX + "assert.strictEqual(bump(box), 2); assert.strictEqual(box.count, 2)", "passed"),
    (BOX + "assert.strictEqual(bump(box), 3)", "failed"),
    ("const e = new Emitter(); let on; e.add(function () { on = this === e }).emit(); assert(on)", "passed"),
    (
        "const e = Object.assign(new RangeError('a'), { code: 5 }); assert.equal(told(e), 'RangeError: a 5 true')",
        "passed",
    ),
    ("const e = new Error('a'); assert.strictEqual(same(e), e)", "passed"),
    ("const e = new Error('a'); assert.strictEqual(tried(() => { throw e }).error, e)", "passed"),
    ("assert.ok(failing().error instanceof TypeError); assert.strictEqual(failing().error.message, 'no')", "passed"),
    ("assert.ok(failing().error instanceof RangeError)", "failed"),
    (
        "let n = 0; soon(() => { n += 1 }); await new Promise((r) => setTimeout(r, 20)); assert.strictEqual(n, 1)",
        "passed",
    ),
    ("soon(() => { throw new Error('a') }); await new Promise((r) => setTimeout(r, 20))", "channel_closed"),
]


@pytest.mark.parametrize(("test", "status"), TESTS)
async def test_receivers_errors_and_thenables_cross(sandbox: LocalSandbox, test: str, status: str) -> None:
    assert await statuses(sandbox, SOLUTION, test, per_test_s=10.0) == [status]


FORGED = (
    "const { writeSync } = require('fs'); function total(box) {"
    " const body = Buffer.from(JSON.stringify({ op: 'callback', id: 0, args: [], kwargs: {}, nodes: [], self: %s }));"
    " const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(4, Buffer.concat([head, body]));"
    " return 3; }"
)
HOSTILE = {
    "is itself for ever": "const total = () => new (class A { then(f) { f(this) } })();",
    "never calls": "const total = () => new (class A { then() {} })();",
    "throws in then": "const total = () => new (class A { then() { throw 1 } })();",
    "gives what equals all": "const total = () => new (class A { then(f) { f(new B()) } })();"
    " class B { valueOf() { return 4 } }",
    **{f"called on {self}": FORGED % self for self in ("[7]", "{}", "1e400", "'a'", "[[0]]")},
}


@pytest.mark.parametrize("trick", HOSTILE)
async def test_no_thenable_or_receiver_of_a_wrong_solution_passes(sandbox: LocalSandbox, trick: str) -> None:
    test = "assert.strictEqual(await total({ a: 4, total() { return this.a } }), 4)"
    [status] = await statuses(sandbox, HOSTILE[trick], test, per_test_s=1.0)
    assert status in {"time_limit", "channel_closed", "error", "not_plain", "failed"}
