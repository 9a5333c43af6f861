// The tests' process of a pair: runs test programs over the solution's proxies, and writes what became of them.
//
// The tests are in `tests.json`: { tests: [text], per_test_s, stop_at_first, entry_point }. Each is a whole program, the
// body of an async function; `assert`, `require`, `solution` and the solution's names are there, and no name of the
// solution but the entry point ever stands for one that was there before. Assertions refuse to judge a proxy against anything, or by its truth.
// A test is over when nothing of it is left to run, as a program of Node's is; a promise that it leaves rejected fails it,
// and so does one of the solution's that is never settled and whose result it would have asserted something of.
// A thread of its own ends a test that has run for too long, and with it the process. With `same_process` the solution is
// loaded here, and could forge what is written.
'use strict';

const fs = require('fs');
const assert = require('assert');
const { builtinModules, createRequire } = require('module');
const path = require('path');
const { Worker } = require('worker_threads');

const { Closed, Malformed, NotPlain } = require('./channel.js');
const { load } = require('./loading.js');
const { Remote, Unjudgeable } = require('./remote.js');
const { Runner } = require('./runner.js');
const { Surroundings, Unsupported } = require('./surroundings.js');

const SAME_PROCESS = process.argv[2] === 'same_process';
const RESULTS = path.resolve('results.ndjson');
const job = JSON.parse(fs.readFileSync('tests.json', 'utf8'));
// classes of the language are what this very file is written with
const TESTED = /^[a-z]/.test(job.entry_point ?? '') ? job.entry_point : null;
const results = fs.openSync(RESULTS, 'a');
const remote = new Remote();
const AsyncFunction = (async () => {}).constructor;
const clock = process.hrtime.bigint.bind(process.hrtime);
const timer = setTimeout;
const { getActiveResourcesInfo } = process;
const exit = process.exit.bind(process);

const WATCHDOG = `
const { workerData } = require('worker_threads');
const fs = require('fs');
const cell = new Int32Array(workerData.shared);
for (;;) {
  const turn = Atomics.load(cell, 0);
  if (turn < 0) break;
  if (Atomics.wait(cell, 0, turn, workerData.limit_ms) === 'timed-out' && Atomics.load(cell, 0) === turn && turn % 2) {
    const name = 'assertions[' + (turn - 1) / 2 + ']';
    const line = { name, status: 'time_limit', message: 'the test ran for too long', detail: '', elapsed_s: workerData.limit_ms / 1000 };
    fs.appendFileSync(workerData.results, JSON.stringify(line) + '\\n' + JSON.stringify({ end: true }) + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
}
`;

// Bytes that the file of results may still take, and the messages and details in it: what came of each test has its room,
// whatever the candidate says.
let left = 16 * 2 ** 20;
let textsLeft = 200_000;

let asserted = 0; // assertions of the running test that were made

// Stands for the result of a promise that never came: a test gets as far with it as with any other.
const ANYTHING = new Proxy(function () {}, {
  get: (_, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => NaN : ANYTHING),
  apply: () => ANYTHING,
  construct: () => ANYTHING,
});
const PROBES = 20;

function record(line) {
  const written = Buffer.from(`${JSON.stringify(line)}\n`);
  left -= written.length;
  if (left < 0) exit(1); // a longer file would not be fetched
  fs.writeSync(results, written);
}

function fitting(text, longest) {
  const cut = String(text).slice(0, longest);
  const size = Buffer.byteLength(JSON.stringify(cut));
  if (size > textsLeft) return '';
  textsLeft -= size;
  return cut;
}

// Assertions that judge refuse proxies: an object that stays with the candidate is no answer. Comparing one deeply
// compares the plain data in it, here.
function guarded() {
  const judged = (name, check) => (...args) => {
    if (name !== 'fail') asserted += 1; // that says what should not come
    const few = name === 'ok' ? 1 : 2;
    const found = args.slice(0, few).filter((arg) => remote.isProxy(arg)).length;
    if (found === 1 && !/throws|rejects|^deep|^partialDeep/i.test(name)) {
      throw new Unjudgeable('what the solution gave is an object that stays with it, no plain data');
    }
    return check(...args);
  };
  const wrap = (source) => {
    const ok = judged('ok', source.ok);
    const made = Object.assign((...args) => ok(...args), source);
    for (const name of Object.keys(source)) {
      if (typeof source[name] === 'function' && name !== 'AssertionError' && name !== 'CallTracker') made[name] = judged(name, source[name]);
    }
    made.ok = ok;
    return made;
  };
  const made = wrap(assert);
  made.strict = wrap(assert.strict);
  made.strict.strict = made.strict;
  return made;
}

function requirer(solution, safe, runner) {
  const own = createRequire(path.resolve('tests.js'));
  const given = (name) => {
    const bare = String(name).replace(/^node:/, '');
    if (/^(?:\.\/)?solution(?:\.[cm]?js)?$/.test(bare)) return solution;
    if (bare === 'assert') return safe;
    if (name === 'node:test') return runner.module();
    return bare === 'assert/strict' ? safe.strict : own(name);
  };
  return Object.assign(given, { resolve: own.resolve });
}

// Static imports as calls of require: a test is the body of a function.
function withoutImports(text) {
  return text
    .replace(/\bimport\s*\(\s*(['"](?:\.\/)?solution(?:\.[cm]?js)?['"])\s*\)/g, '(async () => require($1))()')
    .replace(/^[ \t]*import\s+([\w$]+)\s*,\s*(?=\{|\*)([^'"]*)(['"][^'"]+['"])/gm, 'import $1 from $3; import $2$3')
    .replace(/(^[ \t]*|; )import\s+([\w$]+)\s+from\s*(['"](?:\.\/)?solution(?:\.[cm]?js)?['"])/gm, '$1const $2 = ((all) => all.default ?? all)(require($3))')
    .replace(/; import\b/g, ';\nimport')
    .replace(/^[ \t]*import\s*\{([^}]*)\}\s*from\s*(['"][^'"]+['"])/gm, (_, names, from) => `const {${names.replace(/\bas\b/g, ':')}} = require(${from})`)
    .replace(/^[ \t]*import\s+(?:\*\s*as\s+)?([\w$]+)\s+from\s*(['"][^'"]+['"])/gm, 'const $1 = require($2)')
    .replace(/^[ \t]*import\s*(['"][^'"]+['"])/gm, 'require($1)');
}

// Modules of Node's that tests use by their names (`util.isDeepStrictEqual`) without a `require`, taking nothing of them but
// what they have: never the solution's word for them. Anything else may be called `path` or `events` as well.
function modules(text) {
  const given = {};
  for (const name of builtinModules.filter((name) => /^[a-z]\w*$/.test(name) && !(name in globalThis))) {
    const taken = [...text.matchAll(new RegExp(`(?<![\\w$.])${name}\\b(?:\\s*\\.\\s*([\\w$]+))?`, 'g'))].map((use) => use[1]);
    if (taken.length && !taken.includes(undefined) && taken.every((part) => part in require(name))) given[name] = require(name);
  }
  return given;
}

// No name of the solution stands for one that was there before (`assert`, `Object`, `process`), but that of the function
// under test, where it is named: `isNaN` is then the solution's, or none.
function provide(names, valueOf, given) {
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  for (const [name, value] of Object.entries(given)) define(name, value);
  for (const name of names) {
    if (name in globalThis && name !== TESTED) continue;
    const get = () => valueOf(name);
    Object.defineProperty(globalThis, name, { get, set: (value) => define(name, value), configurable: true });
  }
  if (TESTED !== null && !names.includes(TESTED)) delete globalThis[TESTED];
}

async function begin(safe, runner) {
  const given = modules(job.tests.join('\n'));
  if (SAME_PROCESS) {
    const { exports, names } = await load();
    provide([...names.keys()], (name) => names.get(name), { ...given, assert: safe, solution: exports, require: requirer(exports, safe, runner) });
    return;
  }
  remote.start();
  const { root, names } = remote.solution();
  provide(names, (name) => remote.named(name), { ...given, assert: safe, solution: root, require: requirer(root, safe, runner) });
  remote.surroundings = new Surroundings(job.tests.join('\n'));
}

const moment = () => new Promise((resolve) => timer(resolve, 0));
const pending = () => [...remote.awaited.values()].filter((one) => !one.abandoned);

// Whether the test waits for the solution, which has yet to do something: a promise, or a function that it was passed.
const waits = () => remote.busy === 'work' && (pending().length > 0 || (!asserted && remote.callbacks.length > 0));

// Until no timer and no promise of a test's is left. The solution's timers go on where a test waits.
async function settled(running, runner, strays) {
  let over = false;
  let failed = false;
  running.then(() => runner.done()).then(() => (over = true), () => (failed = true));
  do {
    await moment();
    remote.turn();
    await moment(); // in which the test goes on with what that brought
  } while (!failed && (!over || waits() || getActiveResourcesInfo().some((kind) => kind === 'Timeout' || kind === 'Immediate')));
  await running;
  if (!strays.length && pending().length && (!asserted || (await assertsOfUnsettled(strays)))) {
    throw new Error('a promise of the solution was never settled');
  }
}

// Whether the test would assert something once the promises that are left are settled. A lock that nobody gives may stay.
async function assertsOfUnsettled(strays) {
  const before = asserted;
  for (let probe = 0; probe < PROBES; probe += 1) {
    for (const one of pending()) {
      one.abandoned = true;
      one.resolve(ANYTHING);
    }
    await moment();
  }
  strays.length = 0;
  return asserted > before;
}

function verdict(failure) {
  if (failure instanceof Unsupported) return ['unsupported', failure.message];
  if (failure instanceof Unjudgeable || failure instanceof NotPlain) return ['not_plain', failure.message];
  if (failure instanceof Closed || failure instanceof Malformed) return ['channel_closed', failure.message];
  if (failure instanceof assert.AssertionError) return ['failed', 'AssertionError'];
  return ['error', String(failure?.name ?? 'Error')];
}

async function main() {
  const names = job.tests.map((_, index) => `assertions[${index}]`);
  record({ tests: names });
  const shared = new SharedArrayBuffer(4);
  const cell = new Int32Array(shared);
  const workerData = { shared, results: RESULTS, limit_ms: job.per_test_s * 1000 };
  const watchdog = new Worker(WATCHDOG, { eval: true, workerData });
  const turn = (value) => {
    Atomics.store(cell, 0, value);
    Atomics.notify(cell, 0);
  };
  const safe = guarded();
  console.assert = (value, ...rest) => safe.ok(value, rest.length ? String(rest[0]) : 'console.assert');
  const strays = [];
  const runner = new Runner((failure) => strays.push(failure));
  for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, (failure) => strays.push(failure));
  let code; // with which the running test has ended itself, unless it had failed by then
  process.exit = (given) => {
    if (!strays.length) code ??= Number(given ?? process.exitCode ?? 0);
    throw new Error(`the test ended itself with ${code}`);
  };
  let broken = null;
  let stopped = false;
  for (const [index, test] of job.tests.entries()) {
    const name = names[index];
    if (stopped) break;
    record({ start: name });
    const began = clock();
    let status = 'passed';
    let message = '';
    let detail = '';
    turn(2 * index + 1);
    try {
      let body;
      try {
        body = new AsyncFunction(withoutImports(test));
      } catch (failure) {
        [status, message] = ['bad_test', String(failure.name)];
      }
      if (body) {
        if (broken === null) {
          broken = false;
          try {
            await begin(safe, runner);
          } catch (failure) {
            broken = [failure];
          }
        }
        if (broken) throw broken[0];
        strays.length = 0;
        remote.flaw = null;
        asserted = 0;
        process.exitCode = undefined;
        for (const one of pending()) one.abandoned = true;
        code = undefined;
        try {
          await settled(body(), runner, strays);
          if (strays.length) throw strays[0];
          code ??= process.exitCode;
        } catch (failure) {
          if (code === undefined) throw failure;
        }
        if (code) throw new Error(`the exit code is ${code}`);
      }
      if (remote.flaw) throw remote.flaw;
    } catch (caught) {
      const failure = remote.flaw ?? caught;
      [status, message] = verdict(failure);
      detail = String(failure?.message ?? failure);
    }
    turn(2 * index + 2);
    record({ name, status, message: fitting(message, 300), detail: fitting(detail, 2000), elapsed_s: Number(clock() - began) / 1e9 });
    stopped = status === 'channel_closed' || (job.stop_at_first && status !== 'passed');
  }
  record({ end: true });
  turn(-1);
  await watchdog.terminate();
}

main().then(
  () => exit(0),
  () => exit(1),
);
