"""A test that nobody waits for is over when nothing is left to run, on either side, and has asserted what it would."""

from __future__ import annotations

import pytest

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]

RIGHT = {
    "at once": "async function f(x) { return x + 1; }",
    "late": "function f(x) { return new Promise((done) => setTimeout(done, 60, x + 1)); }",
    "after a file": "const { readFile } = require('fs').promises;\n"
    "async function f(x) { await readFile(__filename).catch(() => 0); return x + 1; }",
}
WRONG = {
    "late": "function f(x) { return new Promise((done) => setTimeout(done, 60, x)); }",
    "never": "function f(x) { return new Promise(() => {}); }",
    "never, busily": "function f(x) { setInterval(() => {}, 20); return new Promise(() => {}); }",
    "never again": "let n = 0; async function f(x) { return n++ ? new Promise(() => {}) : x + 1; }",
    "only if it is late": "async function f(x) { if (x > 1) await new Promise(() => {}); return x + 1; }",
}
TESTS = {
    "a function": "(async () => { assert.strictEqual(await f(1), 2); assert.strictEqual(await f(2), 3); })()",
    "then": "f(1).then((v) => assert.strictEqual(v, 2)); f(2).then((v) => { assert.ok(v === 3); })",
    "parts of it": "Promise.all([f(1), f(2)]).then(([a, b]) => { assert.deepStrictEqual([a - 1, b - 1], [1, 2]); })",
    "it throws": "Promise.all([f(1), f(2)]).then(([a, b]) => { if (a !== 2 || b !== 3) throw new Error('wrong'); })",
    "one after the other": "f(1).then((v) => f(v)).then((v) => { assert.strictEqual(v, 3); })",
}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
async def test_what_is_asserted_later_is_waited_for(sandbox: LocalSandbox, test: str) -> None:
    for solution in RIGHT.values():
        assert await statuses(sandbox, solution, test, per_test_s=5.0) == ["passed"], solution
    for solution in WRONG.values():
        [status] = await statuses(sandbox, solution, test, per_test_s=1.0)
        assert status in ("failed", "error", "time_limit"), solution


LOCK = """
class Lock {
  constructor() { this.waiting = []; this.held = false; }
  take() {
    return new Promise((done) => { if (this.held) this.waiting.push(done); else { this.held = true; done(); } });
  }
}
function later(ms) { let timer; const end = new Promise((done) => { timer = setTimeout(done, ms); });
  return { end, cancel: () => clearTimeout(timer) }; }
"""
LEFT = (
    "const lock = new Lock(); await lock.take(); let got = false; lock.take().then(() => { got = true; });"
    " await new Promise((done) => setTimeout(done, 20)); assert.strictEqual(got, false)",
    "const one = later(20); one.cancel(); one.end.then(() => assert.fail('it was cancelled'));"
    " await new Promise((done) => setTimeout(done, 50)); assert.ok(one)",
)


async def test_a_promise_that_is_to_wait_may_be_left(sandbox: LocalSandbox) -> None:
    tests = [test.replace("assert.ok(one)", "assert.ok(1)") for test in LEFT]
    assert await statuses(sandbox, LOCK, *tests, per_test_s=5.0) == ["passed", "passed"]
    wrong = LOCK.replace("if (this.held) this.waiting.push(done); else", "").replace("clearTimeout(timer)", "0")
    assert await statuses(sandbox, wrong, *tests, per_test_s=5.0) == ["failed", "failed"]


ENDS = {
    "by its exit code": "process.exit(f(1) === 2 ? 0 : 1)",
    "by the code alone": "if (f(1) !== 2) process.exitCode = 1",
    "within try": "try { assert.strictEqual(f(1), 2); process.exit(0); } catch (e) { process.exit(1); }",
    "in a promise": "const run = async () => assert.strictEqual(f(1), 2);"
    " run().then(() => process.exit(0)).catch(() => process.exit(1))",
    "in a timer": "setTimeout(() => process.exit(f(1) === 2 ? 0 : 1), 20)",
    "after it has failed": "Promise.resolve(1).then((n) => assert.strictEqual(f(n), 2));"
    " setTimeout(() => process.exit(), 30)",
}


@pytest.mark.parametrize("test", ENDS.values(), ids=ENDS)
async def test_a_test_may_end_itself(sandbox: LocalSandbox, test: str) -> None:
    tests = [test, f"{test} // again", "assert.strictEqual(f(2), 3)"]
    assert await statuses(sandbox, "const f = (x) => x + 1;", *tests, per_test_s=5.0) == ["passed"] * 3
    for wrong in ("const f = (x) => x;", "const f = () => { throw new Error('no'); };"):
        found = await statuses(sandbox, wrong, *tests, per_test_s=5.0)
        assert set(found) <= {"failed", "error"}, wrong
    assert "passed" not in await statuses(sandbox, "const f = () => process.exit(0);", *tests, per_test_s=5.0)
