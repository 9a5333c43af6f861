// The candidate's process of a pair: loads the solution and answers the tests' process (see ../PROTOCOL.md).
//
// Nothing of the tests is here but what they send. A result that is a promise is marked, so that the tests' side gives
// one, too. Beyond the protocol's words: `special` has `construct`, `next`, `text`, `keys` and `members`.
'use strict';

const { inspect, types } = require('util');

const { Closed, Malformed, NotPlain, receive, send } = require('./channel.js');
const { BUILTIN, refusal, text, thrown } = require('./errors.js');
const { load } = require('./loading.js');
const { Decoder, Encoder, isContainer, typedNode, usesThis } = require('./values.js');

const exit = process.exit.bind(process);
const { isPromise } = types;
const immediate = setImmediate;
const active = process.getActiveResourcesInfo.bind(process);

// Objects that stay here, by their number on the other side.
const objects = [];
const numbers = new Map();
const callbacks = new Map();
const raisedByTests = new WeakMap();
const errorsOfTests = new Map();

// Promises of the tests' by number, and how those that are not settled yet can be.
const given = new Map();
const waiting = new Map();
// Results that were told `later`: how many, how many of them were taken, those that are there, and the numbers of the new ones.
let put = 0;
let taken = 0;
let own = 0; // immediates of this file's own
const late = new Map();
const settled = [];

// What the solution has printed since the last frame, as far as the tests may look at it.
const printed = [];
const LINES = 1000;
const PRINTED = 1000;
let solution = { exports: {}, names: new Map() };

function numbered(item) {
  if (!numbers.has(item)) {
    numbers.set(item, objects.length);
    objects.push(item);
  }
  return numbers.get(item);
}

function keepPrinted() {
  let within = false;
  const watch = (on, name) => {
    const own = on[name].bind(on);
    on[name] = (...args) => {
      if (!within && printed.length < LINES) printed.push([name, args.slice(0, 20).map(scalar)]);
      const outer = within;
      within = true;
      try {
        return own(...args);
      } finally {
        within = outer;
      }
    };
  };
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) watch(console, name);
  watch(process.stdout, 'write');
}

function scalar(item) {
  if (item === null || typeof item === 'boolean' || Number.isFinite(item)) return item;
  try {
    return (typeof item === 'string' ? item : inspect(item)).slice(0, PRINTED);
  } catch {
    return '';
  }
}

// A step of this file's own, which is no work of the solution's.
function soon(step) {
  own += 1;
  immediate(() => {
    own -= 1;
    step();
  });
}

// What is left to do: `work` of its own (timers, files, ..., but no stream that is open), or `promises` that wait for
// something; empty for nothing.
function left() {
  if (active().filter((kind) => !/(?<!Process)Wrap$/.test(kind)).length > own) return 'work';
  return taken < put ? 'promises' : '';
}

function isClass(item) {
  return typeof item === 'function' && /^class\b/.test(Function.prototype.toString.call(item));
}

function classNode(kind, encoder) {
  const known = encoder.numbers.get(kind);
  if (known !== undefined) return [known];
  const parent = Object.getPrototypeOf(kind);
  const builtin = BUILTIN.find((name) => globalThis[name] === parent) ?? null;
  const above = isClass(parent) ? classNode(parent, encoder) : null;
  const reference = encoder.add(['class', numbered(kind), text(kind.name), builtin, above]);
  encoder.numbers.set(kind, reference[0]);
  return reference;
}

function foreign(item, encoder) {
  if (types.isTypedArray(item)) {
    const found = encoder.add(typedNode(item));
    encoder.numbers.set(item, found[0]);
    return found;
  }
  if (callbacks.has(item)) return encoder.add(['callback', callbacks.get(item)]);
  if (isClass(item)) return classNode(item, encoder);
  if (types.isNativeError(item) && BUILTIN.some((name) => item.constructor === globalThis[name])) {
    const found = thrown(item, encoder, ownClass, raisedByTests.get(item) ?? null);
    encoder.numbers.set(item, found[0]);
    return found;
  }
  const number = numbered(item);
  let reference;
  if (typeof item === 'function') {
    reference = encoder.add(['function', number, text(item.name), usesThis(item)]);
  } else {
    const kind = types.isProxy(item) ? null : Object.getPrototypeOf(item)?.constructor;
    const has = [Symbol.iterator, Symbol.asyncIterator, 'then'].map((name) => typeof item?.[name] === 'function');
    reference = encoder.add(['object', number, isClass(kind) ? classNode(kind, encoder) : null, ...has]);
  }
  encoder.numbers.set(item, reference[0]);
  return reference;
}

// A promise of the tests', which they settle when theirs is.
function awaited(number) {
  if (!given.has(number)) {
    const promise = new Promise((resolve, reject) => waiting.set(number, { resolve, reject }));
    promise.catch(() => {});
    given.set(number, promise);
  }
  return given.get(number);
}

function imported(node, decoder) {
  const [kind, number] = node;
  if (kind === 'handle' && Number.isInteger(number) && number in objects) return objects[number];
  if (kind === 'callback') return callback(node);
  if (kind === 'promise') return awaited(number);
  if (kind === 'exception') return imposed(node, decoder);
  throw new Malformed(`no value of kind ${kind} is known here`);
}

// An error of a function of the tests', which they know again by its number.
function imposed([, kind, , fields, message, , number], decoder) {
  if (errorsOfTests.has(number)) return errorsOfTests.get(number);
  const error = new (BUILTIN.includes(kind) ? globalThis[kind] : Error)(text(message));
  Object.assign(error, decoder.value(fields));
  raisedByTests.set(error, number);
  errorsOfTests.set(number, error);
  return error;
}

// What a function of the tests' may see of the object that it is called on; undefined for nothing.
function receiver(self) {
  if (self === null || typeof self !== 'object' || Array.isArray(self)) return undefined;
  return isContainer(self) ? Object.fromEntries(Object.entries(self)) : self;
}

function requested(number, args, self) {
  const encoder = new Encoder(foreign);
  const frame = { op: 'callback', id: number, args: args.map((arg) => encoder.value(arg)), kwargs: {} };
  if (self !== undefined) frame.self = encoder.value(self);
  return { ...frame, nodes: encoder.nodes, console: printed.splice(0), busy: left() };
}

function callback([, number, length, name, looks]) {
  for (const [item, known] of callbacks) if (known === number) return item;
  const item = function (...args) {
    send(requested(number, args, looks ? receiver(this) : undefined));
    for (;;) {
      const frame = receive();
      if (frame.op !== 'return' && frame.op !== 'raise') {
        answer(frame, true);
        continue;
      }
      const decoder = new Decoder(frame.nodes, imported);
      const value = decoder.value(frame.value);
      if (frame.self !== undefined) refill(this, decoder.value(frame.self));
      if (frame.op === 'raise') throw value;
      return value;
    }
  };
  Object.defineProperty(item, 'length', { value: length, configurable: true });
  Object.defineProperty(item, 'name', { value: name, configurable: true });
  callbacks.set(item, number);
  return item;
}

// The names of all that an object has, those of its classes included.
function members(item) {
  const found = new Set();
  for (let part = item; part !== null; part = Object.getPrototypeOf(part)) Object.getOwnPropertyNames(part).forEach((name) => found.add(name));
  return [...found];
}

const SPECIAL = {
  construct: (kind, ...args) => new kind(...args),
  next: (iterator) => {
    const { done, value } = iterator.next();
    return [Boolean(done), value];
  },
  iterate: (item) => item[Symbol.iterator](),
  iterate_async: (item) => item[Symbol.asyncIterator](),
  text: (item) => String(item),
  keys: (item) => Object.keys(item),
  members,
};

// Gives a container the contents of another of its kind.
function refill(object, wanted) {
  if (Array.isArray(object) && Array.isArray(wanted)) object.splice(0, object.length, ...wanted);
  else if (types.isSet(object) && types.isSet(wanted)) {
    object.clear();
    for (const item of wanted) object.add(item);
  } else if (types.isMap(object) && types.isMap(wanted)) {
    object.clear();
    for (const [key, item] of wanted) object.set(key, item);
  } else if (isContainer(object) && isContainer(wanted)) {
    for (const name of Object.keys(object)) delete object[name];
    Object.assign(object, wanted);
  }
}

function perform(frame, decoder) {
  const on = frame.on === null || frame.on === undefined ? null : decoder.value(frame.on);
  switch (frame.op) {
    case 'names':
      return [typeof solution.exports === 'function', ...solution.names.keys()];
    case 'get':
      return on === null ? solution.names.get(frame.name) : on[frame.name];
    case 'set':
      on[frame.name] = decoder.value(frame.value);
      return undefined;
    case 'refill':
      refill(on === null ? solution.names.get(frame.name) : on[frame.name], decoder.value(frame.value));
      return undefined;
    case 'delete':
      return delete on[frame.name];
    case 'environ':
      for (const [name, value] of Object.entries(decoder.value(frame.values))) {
        if (value === null) delete process.env[name];
        else process.env[name] = value;
      }
      return undefined;
    case 'resolve':
    case 'reject':
      waiting.get(frame.name)[frame.op](decoder.value(frame.value));
      waiting.delete(frame.name);
      return new Promise((resolve) => soon(resolve));
    case 'turn':
      return new Promise((resolve) => soon(resolve));
    case 'state':
      return { ...on };
    case 'special':
      if (!Object.hasOwn(SPECIAL, frame.name)) throw new Malformed('no such operation');
      return SPECIAL[frame.name](...frame.args.map((arg) => decoder.value(arg)));
    case 'call': {
      const args = frame.args.map((arg) => decoder.value(arg));
      if (on === null) {
        const called = frame.name === null ? solution.exports : solution.names.get(frame.name);
        return called(...args);
      }
      return frame.name === null ? on.apply(frame.self === undefined ? undefined : decoder.value(frame.self), args) : on[frame.name](...args);
    }
    default:
      throw new Malformed('no such operation');
  }
}

// The reply to one request, with the containers of the request that were changed.
function replied(decoder, make) {
  const known = new Map();
  decoder.objects.forEach((item, index) => {
    if (item !== null && typeof item === 'object' && !(typeof item === 'function')) known.set(item, index);
  });
  const encoder = new Encoder(foreign, known, decoder.objects.length);
  const reply = make(encoder);
  const updates = [];
  for (const [item, index] of known) {
    const before = decoder.nodes[index];
    if (!['list', 'dict', 'set', 'map', 'bytes', 'typed'].includes(before?.[0])) continue;
    const after = before[0] === 'typed' ? typedNode(item) : encoder.node(item);
    if (after[0] === 'map' && before[0] === 'dict') after[0] = 'dict';
    if (JSON.stringify(after) !== JSON.stringify(before)) updates.push([index, after]);
  }
  encoder.settle();
  return { ...reply, updates, nodes: encoder.nodes };
}

// Replies to a request. The result of a promise that is not there at once is told `later`, and taken when it is there: it
// may wait for a promise, a timer or a function of the tests', whose process goes on meanwhile.
function answer(frame, nested = false) {
  if (frame.op === 'take' && late.has(frame.name)) {
    const [decoder, make] = late.get(frame.name);
    late.delete(frame.name);
    taken += 1;
    return deliver(decoder, make);
  }
  let decoder = { objects: [], nodes: [] };
  let result;
  try {
    decoder = new Decoder(frame.nodes ?? [], imported);
    decoder.objects.forEach((_, index) => decoder.value([index]));
    result = perform(frame, decoder);
  } catch (failure) {
    return deliver(decoder, raised(failure));
  }
  if (!isPromise(result)) return deliver(decoder, returned(result));
  return new Promise((replied) => {
    let number = null;
    let over = false;
    const settle = (make) => {
      over = true;
      if (number === null) replied(deliver(decoder, make));
      else {
        late.set(number, [decoder, make]);
        settled.push(number);
      }
    };
    const putOff = () => {
      if (over || number !== null) return;
      number = put;
      put += 1;
      replied(deliver(decoder, () => ({ op: 'later', number })));
    };
    result.then((value) => settle(returned(value, true)), (failure) => settle(raised(failure, true)));
    if (nested) putOff();
    else soon(putOff);
  });
}

function returned(value, promise = false) {
  return (encoder) => ({ op: 'return', value: encoder.value(value), promise });
}

function ownClass(error, encoder) {
  return isClass(error.constructor) ? classNode(error.constructor, encoder) : null;
}

function raised(failure, promise = false) {
  if (failure instanceof NotPlain) return () => refusal(failure);
  return (encoder) => ({ op: 'raise', error: thrown(failure, encoder, ownClass, raisedByTests.get(failure) ?? null), promise });
}

function deliver(decoder, make) {
  let reply;
  try {
    reply = { ...replied(decoder, make), console: printed.splice(0), busy: left(), settled: settled.splice(0) };
  } catch (failure) {
    reply = { ...refusal(failure), nodes: [] };
  }
  try {
    send(reply);
  } catch (failure) {
    if (!(failure instanceof NotPlain)) throw failure;
    send({ ...refusal(failure), nodes: [] });
  }
}

async function serve() {
  let ready = { op: 'ready' };
  keepPrinted();
  try {
    solution = await load();
  } catch (failure) {
    const encoder = new Encoder(foreign);
    ready = { ...raised(failure)(encoder), updates: [], nodes: encoder.nodes };
  }
  send(ready);
  for (;;) await answer(receive());
}

process.on('uncaughtException', () => exit(1));
serve().catch((failure) => exit(failure instanceof Closed ? 0 : 1));
