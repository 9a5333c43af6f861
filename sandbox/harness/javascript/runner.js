// What tests use of `node:test`: in Node a test that fails is told to a reporter and to the exit code, which nobody asks.
//
// Tests are run one after the other, as they are defined; `fail` is told what each throws. `mock` is Node's own.
'use strict';

const { mock } = require('node:test');

class Runner {
  constructor(fail) {
    this.fail = fail;
    this.tail = Promise.resolve();
    this.suite = suite(null);
  }

  // Until all tests that are defined are over.
  async done() {
    for (let tail = null; tail !== this.tail; await tail) tail = this.tail;
  }

  add(step) {
    this.tail = this.tail.then(step).catch((failure) => this.fail(failure));
    return this.tail;
  }

  test(parts) {
    const { body, skipped } = read(parts);
    const own = this.suite;
    return skipped ? Promise.resolve() : this.add(() => this.run(body, own));
  }

  async run(body, own) {
    const above = [];
    for (let one = own; one !== null; one = one.above) above.unshift(one);
    for (const one of above) for (const hook of one.before.splice(0)) await called(hook);
    for (const one of above) for (const hook of one.beforeEach) await called(hook);
    const after = [];
    try {
      await context(body, after);
    } finally {
      for (const hook of [...after, ...above.reverse().flatMap((one) => one.afterEach)]) await called(hook);
    }
  }

  describe(parts) {
    const { body, skipped } = read(parts);
    if (skipped) return;
    const [outer, inner] = [this.suite, suite(this.suite)];
    this.suite = inner;
    try {
      body();
    } finally {
      this.suite = outer;
    }
    this.add(async () => {
      for (const hook of inner.after) await called(hook);
    });
  }

  // What `require('node:test')` gives.
  module() {
    const kind = (run) => Object.assign((...parts) => run(parts), { only: (...parts) => run(parts), skip: () => Promise.resolve(), todo: () => Promise.resolve() });
    const [test, describe] = [kind((parts) => this.test(parts)), kind((parts) => this.describe(parts))];
    const hooks = ['before', 'after', 'beforeEach', 'afterEach'].map((name) => [name, (hook) => void this.suite[name].push(hook)]);
    return Object.assign(test, { test, it: test, describe, suite: describe, mock, default: test }, Object.fromEntries(hooks));
  }
}

function suite(above) {
  return { above, before: [], after: [], beforeEach: [], afterEach: [] };
}

function read(parts) {
  const body = parts.findLast((part) => typeof part === 'function') ?? (() => {});
  return { body, skipped: parts.some((part) => part !== null && typeof part === 'object' && (part.skip || part.todo)) };
}

// Runs a test with its context: subtests are part of it, awaited or not.
async function context(body, after) {
  const children = [];
  const given = {
    mock,
    test: (...parts) => {
      const { body: inner, skipped } = read(parts);
      const child = skipped ? Promise.resolve() : context(inner, after);
      children.push(child);
      return child;
    },
    after: (hook) => after.push(hook),
    diagnostic: () => {},
  };
  await called(body, given);
  await Promise.all(children);
}

// Calls a test or hook; one that takes another argument than the context says by it that it is done.
function called(body, given = {}) {
  if (body.length < 2) return body(given);
  return new Promise((resolve, reject) => body(given, (failure) => (failure ? reject(failure) : resolve())));
}

module.exports = { Runner };
