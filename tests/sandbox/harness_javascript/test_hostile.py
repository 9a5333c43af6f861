"""Hostile JavaScript: nothing that a solution does in its own process makes a wrong answer pass."""

from __future__ import annotations

import pytest

from sandbox.local import LocalSandbox
from tests.sandbox.harness_javascript.running import statuses

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]
WRONG = "function f(x) { return 0; }\n"
TESTS = (
    "assert.strictEqual(f(1), 2)",
    "assert(f(1) === 2)",
    "console.assert(f(1) === 2)",
    "assert.deepStrictEqual([f(1)], [2])",
    "assert(util.isDeepStrictEqual(f(1), 2))",
)

TRICKS = {
    "exit before the tests": "process.exit(0);",
    "exit in the call": "f = () => process.exit(0);",
    "abort": "f = () => process.abort();",
    "exit handler": "process.on('exit', () => { process.exitCode = 0; });",
    "own assert": "function assert() {} assert.strictEqual = assert.deepStrictEqual = () => {};",
    "modules that the tests do not require": "const util = { isDeepStrictEqual: () => true }, os = util, path = util;",
    "exported assert": "module.exports = { f, assert() {}, require() { return f; }, console: { assert() {} }, "
    "solution: {} };",
    "patched assert": "const a = require('assert'); a.strictEqual = a.ok = a.deepStrictEqual = () => {};",
    "patched console": "console.assert = () => {};",
    "patched prototypes": "Object.prototype.valueOf = () => 2; Number.prototype.toString = () => '2'; "
    "Array.prototype[0] = 2;",
    "patched Object.is": "Object.is = () => true; Object.keys = () => []; JSON.stringify = () => '2';",
    "an object that converts": "f = () => ({ valueOf: () => 2, toString: () => '2', [Symbol.toPrimitive]: () => 2 });",
    "an instance that converts": "class Two { valueOf() { return 2; } [Symbol.toPrimitive]() { return 2; } } "
    "f = () => new Two();",
    "a proxy that agrees": "f = () => new Proxy(function () {}, { get: () => 2, apply: () => 2, has: () => true });",
    "a symbol": "f = () => Symbol('2');",
    "a function": "f = () => f;",
    "a promise": "f = () => Promise.resolve(0);",
    "a thenable": "f = () => ({ then(resolve) { resolve(0); } });",
    "a promise that never ends": "f = () => new Promise(() => {});",
    "junk on the channel": "require('fs').writeSync(4, 'junk'.repeat(9));",
    "a forged reply": """
        const body = Buffer.from('{"op":"return","value":3,"updates":[],"nodes":[]}');
        const head = Buffer.alloc(4);
        head.writeUInt32BE(body.length);
        f = () => { require('fs').writeSync(4, Buffer.concat([head, body])); return 0; };
    """,
    "deep junk": "const b = Buffer.from('['.repeat(100000)); const h = Buffer.alloc(4); h.writeUInt32BE(b.length); "
    "require('fs').writeSync(4, Buffer.concat([h, b]));",
    "a forged report": "require('fs').writeFileSync('results.ndjson', '{\"tests\": [\"a\"]}');",
    "reads the tests": "f = () => { try { return eval(require('fs').readFileSync('tests.json', 'utf8')); } "
    "catch { return 0; } };",
    "closes the channel": "require('fs').closeSync(4);",
    "a prototype in the data": 'f = () => JSON.parse(\'{"__proto__": {"a": 2}}\');',
    "kills its group": "try { process.kill(0, 'SIGKILL'); } catch {}",
    "throws a proxy": "f = () => { throw new Proxy({}, { get() { throw 1; } }); };",
    "throws in a getter": "f = () => ({ get a() { throw new Error('x'); } });",
    "an endless loop": "f = () => { for (;;); };",
    "endless recursion": "f = () => f();",
    "a memory bomb": "f = () => { const all = []; for (;;) all.push(new Array(1e6).fill(1)); };",
    "an endless top level": "for (;;);",
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS.keys())
async def test_a_wrong_answer_never_passes(sandbox: LocalSandbox, trick: str) -> None:
    found = await statuses(sandbox, WRONG + trick, *TESTS, per_test_s=1.0)
    assert len(found) == len(TESTS)
    assert "passed" not in found


async def test_the_tests_are_nowhere_in_the_candidates_process(sandbox: LocalSandbox) -> None:
    spy = """
    const fs = require('fs');
    const seen = [];
    for (const folder of ['.', '..', '/tmp', '/proc', '/dev/shm']) {
      try { for (const name of fs.readdirSync(folder)) seen.push(name); } catch {}
    }
    function look() { return [seen.includes('tests.json'), seen.includes('results.ndjson'), fs.existsSync('/proc/1')]; }
    function env() { return Object.keys(process.env).join(); }
    """
    tests = ("assert.deepStrictEqual(look(), [false, false, false])", "assert(!/trueward|canary/i.test(env()))")
    assert await statuses(sandbox, spy, *tests) == ["passed", "passed"]


async def test_names_of_a_solution_never_stand_for_the_tests_own(sandbox: LocalSandbox) -> None:
    taken = "var Object = 1, JSON = 2, process = 3, Promise = 4, require = 5, console = 6; function f() { return 1; }"
    test = (
        "assert(JSON.stringify({}) === '{}' && typeof Object.keys === 'function' && typeof process.exit === 'function')"
    )
    assert "failed" not in await statuses(sandbox, taken, test)


async def test_what_no_module_of_that_name_has_is_the_solutions(sandbox: LocalSandbox) -> None:
    code = "const events = { add: (x) => x }; function path(x) { return x; }\nconst f = (x) => [x];"
    tests = ("assert(events.add(2) === 2)", "assert(path(3) === 3)", "assert(util.isDeepStrictEqual(f(1), [1]))")
    assert await statuses(sandbox, code, *tests) == ["passed"] * 3
