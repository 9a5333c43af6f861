// The solution of the working directory: an object of its exports, with the bare names of its top level besides.
//
// A text with `import` or `export` is a module; any other is a script with `require`, `module` and `exports`, whose
// declarations stay reachable by name. Names are found in the text and tried: what is not at the top level is not there.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { createRequire } = require('module');
const { pathToFileURL } = require('url');

const FILE = path.resolve('solution.js');
const DECLARED = /\b(?:function\s*\*?|class)\s+([A-Za-z_$][\w$]*)|([A-Za-z_$][\w$]*)\s*=(?![=>])/g;
const MODULE = /^\s*(?:import\s*(?:[\w$*{"']|\()|export\s+(?:default|const|let|var|function|class|async|\{|\*))/m;
const LOOKUP = '__trueward_lookup';

// { exports, names }: what require() gives, and every name with its value. Throws what the solution throws.
async function load() {
  const text = fs.readFileSync(FILE, 'utf8');
  const candidates = new Set([...text.matchAll(DECLARED)].map((found) => found[1] ?? found[2]));
  const { exports, lookup } = isModule(text) ? await asModule(text) : asScript(text);
  const names = new Map();
  for (const name of candidates) {
    const value = lookup(name);
    if (value !== undefined) names.set(name, value);
  }
  const exported = exports !== null && (typeof exports === 'object' || typeof exports === 'function') ? exports : {};
  for (const name of Object.keys(exported)) names.set(name, exported[name]);
  if (typeof exports === 'function' && exports.name) names.set(exports.name, exports);
  return { exports, names };
}

function isModule(text) {
  if (!MODULE.test(text)) return false;
  try {
    new vm.Script(text, { filename: FILE });
    return false; // the words stand in a text or a comment
  } catch {
    return true;
  }
}

function asScript(text) {
  const module = { exports: {}, filename: FILE, id: FILE, loaded: false, children: [], paths: [] };
  const given = { module, exports: module.exports, require: createRequire(FILE), __filename: FILE, __dirname: path.dirname(FILE) };
  module.require = given.require;
  given.require.main = module;
  for (const [name, value] of Object.entries(given)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, enumerable: false, writable: true });
  }
  vm.runInThisContext(text, { filename: FILE });
  const lookup = (name) => {
    try {
      return vm.runInThisContext(name);
    } catch {
      return undefined;
    }
  };
  return { exports: module.exports, lookup };
}

async function asModule(text) {
  const file = FILE.replace(/\.js$/, '.mjs');
  fs.writeFileSync(file, `${text}\n;export const ${LOOKUP} = (name) => { try { return eval(name); } catch { return undefined; } };\n`);
  const { [LOOKUP]: lookup, ...exports } = await import(pathToFileURL(file).href);
  if (exports.default !== undefined && exports.default !== null) {
    const name = exports.default.name;
    if (typeof name === 'string' && name && !(name in exports)) return { exports: { ...exports, [name]: exports.default }, lookup };
  }
  return { exports, lookup };
}

module.exports = { load };
