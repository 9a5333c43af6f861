// What tests change around a solution that the solution's own process does not see.
//
// Known from the tests alone, so that no solution has a say in it: by what they have put in the place of Node's functions,
// and by paths of their own files that they pass. What they replace of `console` is brought over (see remote.js).
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');

const { getOwnPropertyDescriptor } = Object;
const LONGEST_PATH = 4096;
const LONGEST_NAME = 255;
const GIVEN = 100_000;
const HARNESS_OWN = new Set(['tests.json', 'results.ndjson', 'solution.js', 'solution.mjs']);
const GLOBALS = [
  'Date', 'Math', 'JSON', 'Promise', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask',
  'fetch', 'performance', 'structuredClone', 'crypto', 'window', 'document', 'navigator', 'localStorage', 'sessionStorage',
  'XMLHttpRequest', 'WebSocket', 'alert', 'prompt', 'confirm', 'requestAnimationFrame', 'process',
];
const PARTS = {
  'process': ['exit', 'cwd', 'hrtime', 'nextTick', 'on', 'kill', 'uptime', 'memoryUsage'],
  'performance': ['now'],
};
const MODULES = ['fs', 'child_process', 'http', 'https', 'os', 'readline', 'crypto', 'dns', 'net'];

// What tests do that the solution does not see.
class Unsupported extends Error {}

class Surroundings {
  // Made before any test is run, and after the solution has given its names. `text`: of all the tests.
  constructor(text) {
    this.directory = process.cwd();
    this.temporary = [os.tmpdir(), fs.realpathSync(os.tmpdir())];
    this.environment = { ...process.env };
    this.watched = [];
    this.given = new Set(); // names of files that the solution may have given, by the last part of its texts
    for (const name of GLOBALS) this.watch(globalThis, name, name);
    for (const [name, parts] of Object.entries(PARTS)) for (const part of parts) this.watch(globalThis[name], part, `${name}.${part}`);
    for (const kind of ['Math', 'Date']) {
      for (const part of Object.getOwnPropertyNames(globalThis[kind])) this.watch(globalThis[kind], part, `${kind}.${part}`);
    }
    const modules = [...MODULES.filter((name) => text.includes(name)).map((name) => [name, require(name)]), ['fs.promises', fs.promises]];
    for (const [name, module] of modules) for (const part of Object.keys(module)) this.watch(module, part, `${name}.${part}`);
  }

  watch(holder, name, label) {
    const { value, get } = getOwnPropertyDescriptor(holder, name) ?? {};
    this.watched.push([holder, name, label, value, get]);
  }

  // Notes the texts of a frame of the solution's; gives the frame.
  note(frame) {
    const waiting = [frame];
    while (waiting.length) {
      const item = waiting.pop();
      if (typeof item === 'string') {
        if (item.length <= LONGEST_PATH && this.given.size <= GIVEN) this.given.add(path.basename(item).slice(0, LONGEST_NAME));
      } else if (item !== null && typeof item === 'object') for (const part of Object.values(item)) waiting.push(part);
    }
    return frame;
  }

  // Throws Unsupported where a call that passes these relies on what the solution does not see.
  check(passed) {
    for (const [holder, name, label, value, get] of this.watched) {
      const now = getOwnPropertyDescriptor(holder, name);
      if (now?.value !== value || now?.get !== get) {
        throw new Unsupported(`the test replaces ${label}, and the solution is in another process`);
      }
    }
    if (process.cwd() !== this.directory) throw new Unsupported('the test changes the working directory, and the solution is in another process');
    for (const item of passed) {
      if (typeof item === 'string' && this.isOurs(item)) throw new Unsupported('the test passes a path of its own, and the solution has other files');
    }
  }

  // Whether a text is the path of a file or folder that the tests made. None whose name a solution can know or has given.
  isOurs(text) {
    if (!text || text.length > LONGEST_PATH || text.includes('\0') || !/[/.]/.test(text)) return false;
    const file = path.resolve(this.directory, text);
    const { base, name } = path.parse(file);
    if (this.given.size > GIVEN || this.given.has(base) || this.given.has(name)) return false;
    if (file.startsWith(`${this.directory}/`)) {
      return !HARNESS_OWN.has(path.relative(this.directory, file)) && fs.existsSync(file);
    }
    const folder = path.dirname(file);
    return this.temporary.some((known) => folder.startsWith(`${known}/`) || folder === known) && fs.existsSync(this.temporary.includes(folder) ? file : folder);
  }

  // The variables that the tests have set (null: removed) since this was last asked; null for none.
  changedEnvironment() {
    const [now, before] = [{ ...process.env }, this.environment];
    const names = Object.keys({ ...before, ...now }).filter((name) => now[name] !== before[name]);
    this.environment = now;
    return names.length ? Object.fromEntries(names.map((name) => [name, now[name] ?? null])) : null;
  }
}

module.exports = { Surroundings, Unsupported };
