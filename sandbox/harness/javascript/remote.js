// The tests' side of a channel: the solution's functions, classes and objects as proxies (see ../PROTOCOL.md).
//
// What a proxy is asked goes to the candidate's process; what comes back is plain data or another proxy. Classes have a
// stand-in here, so that `instanceof` is decided on this side. Judging with a proxy is refused in assertions.js.
'use strict';

const { types } = require('util');

const { Malformed, NotPlain, receive, send } = require('./channel.js');
const { BUILTIN, text, thrown } = require('./errors.js');
const { Unsupported } = require('./surroundings.js');
const { Decoder, Encoder, isContainer, typedNode, usesThis } = require('./values.js');

const DEEPEST = 50;
const FETCHED = 32;
const FETCHED_NODES = 1000;
const MEMBERS = 1000;
const PRINTING = ['log', 'info', 'warn', 'error', 'debug'];
const LOCAL = new Set(['constructor', 'prototype', 'then', 'inspect', 'nodeType', 'asymmetricMatch', '$$typeof', 'toJSON']);

// What the candidate sent cannot be judged: the test is not passed.
class Unjudgeable extends Error {}

class Remote {
  constructor() {
    this.surroundings = null; // what the tests' process is like, once the solution's names are known
    this.printing = [...PRINTING.map((name) => [console, name]), [process.stdout, 'write']].map(([on, name]) => [on, name, on[name]]);
    this.busy = ''; // whether `work` of the solution's is left (timers), or `promises`, or jobs that it has put off
    this.flaw = null; // why the running test cannot be judged, whoever catches it
    this.promises = new Map(); // those that the candidate was given, with their numbers
    this.awaited = new Map(); // those that it gave and has yet to settle, by its numbers: how they are, and what the request had sent
    this.raised = []; // what functions of the tests' threw into the candidate
    this.proxies = new Map(); // number -> proxy
    this.numbers = new Map(); // proxy -> number
    this.callbacks = [];
    this.depth = 0;
    this.root = null; // what require('./solution') gives
    this.fetched = new Map(); // containers that are attributes of the solution's objects, as they were read
  }

  // Waits until the solution is loaded; throws what it threw.
  start() {
    const frame = receive();
    if (frame.op === 'ready') return;
    this.outcome(frame, []);
    throw new Malformed('the candidate does not say that it is ready');
  }

  isProxy(item) {
    return this.numbers.has(item);
  }

  // Asks, after the solution's objects have got what the tests changed of their attributes: in one process
  // `box.items.push(1)` changes the box.
  ask(op, fields, args = []) {
    if (op === 'call' || op === 'special') this.see(args);
    for (const known of this.fetched.values()) {
      const now = this.seen(known.item);
      if (now !== known.seen) {
        known.seen = now;
        this.asked('refill', { on: known.on, name: known.name, value: known.item });
      }
    }
    const found = this.asked(op, fields, args);
    if (op === 'get' && isContainer(found)) {
      const seen = this.seen(found);
      const key = `${this.numbers.get(fields.on)} ${fields.name}`;
      this.fetched.delete(key);
      if (seen !== null) this.fetched.set(key, { ...fields, item: found, seen });
      if (this.fetched.size > FETCHED) this.fetched.delete(this.fetched.keys().next().value);
    }
    return found;
  }

  // Sees to it that a call meets what the tests have made of their process; throws Unsupported where it cannot.
  see(args) {
    try {
      this.surroundings?.check(args);
    } catch (failure) {
      if (failure instanceof Unsupported) this.flaw ??= failure;
      throw failure;
    }
    const values = this.surroundings?.changedEnvironment();
    if (values) this.asked('environ', { values });
  }

  // Lets the solution's timers go on, where it has any.
  turn() {
    if (this.busy) this.asked('turn', {});
  }

  // Prints what the solution has printed where the tests look at it: in what they have put in the console's place.
  print(lines) {
    if (!Array.isArray(lines) || this.printing.every(([on, name, own]) => on[name] === own)) return;
    for (const line of lines) {
      if (!Array.isArray(line) || !Array.isArray(line[1])) throw new Malformed('printed output is malformed');
      const [name, args] = line;
      if (name === 'write') process.stdout.write(text(args[0]));
      else if (PRINTING.includes(name)) console[name](...args.filter((arg) => arg === null || typeof arg !== 'object'));
    }
  }

  // The contents of a container as text; null for one that is too large to be looked at again and again.
  seen(item) {
    const encoder = new Encoder((other, into) => this.foreign(other, into));
    encoder.value(item);
    return encoder.nodes.length > FETCHED_NODES || encoder.nodes.some((node) => node.length > FETCHED_NODES) ? null : JSON.stringify(encoder.nodes);
  }

  asked(op, fields, args = []) {
    const encoder = new Encoder((item, into) => this.foreign(item, into));
    const sent = { op };
    for (const [name, value] of Object.entries(fields)) {
      sent[name] = name === 'name' ? value : op === 'reject' ? this.imposed(value, encoder) : encoder.value(value);
    }
    if (op === 'call' || op === 'special') sent.args = args.map((arg) => encoder.value(arg));
    if (op === 'call') sent.kwargs = {};
    sent.nodes = encoder.nodes;
    const known = new Array(encoder.nodes.length);
    for (const [item, number] of encoder.numbers) known[number] = item;
    const found = this.answered(sent, known);
    // a job that the call has put off may call a function of the tests', which nobody would hear
    if (op === 'call' || op === 'special') this.busy ||= this.callbacks.length > 0;
    return found;
  }

  // Sends a request and answers what the candidate asks meanwhile. `known`: what the request that is answered had sent.
  answered(sent, known) {
    send(sent);
    for (;;) {
      const frame = this.surroundings ? this.surroundings.note(receive()) : receive();
      this.print(frame.console);
      this.busy = frame.busy;
      this.settle(frame.settled ?? []);
      if (frame.op !== 'callback') return this.outcome(frame, known);
      this.called(frame);
    }
  }

  // Takes the results of promises that the candidate has settled, as soon as nothing else is asked.
  settle(numbers) {
    if (!Array.isArray(numbers)) throw new Malformed('settled promises are malformed');
    for (const number of numbers) {
      const promise = this.awaited.get(number);
      if (!promise) throw new Malformed('a result that nobody waits for');
      this.awaited.delete(number);
      queueMicrotask(() => this.take(number, promise));
    }
  }

  take(number, { resolve, reject, known }) {
    try {
      resolve(this.answered({ op: 'take', name: number, nodes: [] }, known));
    } catch (failure) {
      reject(failure);
    }
  }

  // A promise of the tests', which the candidate's is settled after.
  promise(item) {
    if (this.promises.has(item)) return ['promise', this.promises.get(item)];
    const told = this.promises.size;
    this.promises.set(item, told);
    const tell = (op) => (value) => {
      try {
        this.asked(op, { name: told, value });
      } catch (failure) {
        if (failure instanceof Unsupported || failure instanceof Unjudgeable) this.flaw ??= failure;
        else throw failure;
      }
    };
    Promise.resolve(item).then(tell('resolve'), tell('reject'));
    return ['promise', told];
  }

  outcome(frame, known) {
    if (frame.op === 'not_plain') throw new Unjudgeable(`the result is no plain data: ${text(frame.reason)}`);
    if (frame.op !== 'return' && frame.op !== 'raise' && frame.op !== 'later') throw new Malformed('an answer of an unknown kind');
    const decoder = new Decoder(frame.nodes, (node, into) => this.imported(node, into), known);
    for (const update of frame.updates ?? []) {
      const sent = Array.isArray(update) && Array.isArray(update[1]) && at(known, update[0]);
      if (!sent || typeof sent !== 'object' || this.isProxy(sent)) throw new Malformed('an update of something that was not sent');
      decoder.fill(sent, update[1]);
    }
    if (frame.op === 'later') return new Promise((resolve, reject) => this.awaited.set(frame.number, { resolve, reject, known }));
    const value = decoder.value(frame.op === 'return' ? frame.value : frame.error);
    if (frame.promise === true) return frame.op === 'return' ? Promise.resolve(value) : Promise.reject(value instanceof Thrown ? value.value : value);
    if (frame.op === 'raise') throw value instanceof Thrown ? value.value : value;
    return value;
  }

  // The object that a function of the solution's is called on, where it looks at it.
  receiver(looks, self) {
    const seen = looks === true && self !== null && typeof self === 'object' && !Array.isArray(self) && self !== this.root;
    return seen && (this.isProxy(self) || Object.getOwnPropertySymbols(self).length === 0) ? { self } : {};
  }

  // A function of the tests, called by the candidate.
  called(frame) {
    let encoder = new Encoder((item, into) => this.foreign(item, into));
    let reply;
    this.depth += 1;
    try {
      if (this.depth > DEEPEST) throw new RangeError('callbacks are nested too deep');
      const decoder = new Decoder(frame.nodes, (node, into) => this.imported(node, into));
      const args = frame.args.map((arg) => decoder.value(arg));
      const called = at(this.callbacks, frame.id);
      if (!called) throw new Malformed('a function that was never passed');
      const self = frame.self === undefined ? undefined : decoder.value(frame.self);
      reply = { op: 'return', value: encoder.value(Reflect.apply(called, self, args)) };
      if (self !== null && typeof self === 'object' && isContainer(self)) reply.self = encoder.value(self);
    } catch (failure) {
      if (failure instanceof Malformed) throw failure;
      if (failure instanceof Unsupported || failure instanceof Unjudgeable) this.flaw ??= failure;
      encoder = new Encoder((item, into) => this.foreign(item, into)); // without what was written of a value that failed
      reply = { op: 'raise', value: this.imposed(failure, encoder) };
    } finally {
      this.depth -= 1;
    }
    send({ ...reply, nodes: encoder.nodes });
  }

  // What a function or a promise of the tests' throws into the candidate.
  imposed(failure, encoder) {
    if (failure === null || ['string', 'number', 'boolean', 'undefined', 'bigint'].includes(typeof failure)) return encoder.value(failure);
    if (!this.raised.includes(failure)) this.raised.push(failure);
    return thrown(failure, encoder, () => null, this.raised.indexOf(failure));
  }

  foreign(item, encoder) {
    if (types.isNativeError(item)) {
      const found = this.imposed(item, encoder);
      encoder.numbers.set(item, found[0]);
      return found;
    }
    const reference = encoder.add(null);
    encoder.numbers.set(item, reference[0]);
    encoder.nodes[reference[0]] = this.node(item, encoder);
    return reference;
  }

  node(item, encoder) {
    if (this.numbers.has(item)) return ['handle', this.numbers.get(item)];
    // an object of a class of the tests goes as its fields
    if (types.isTypedArray(item)) return typedNode(item);
    if (types.isPromise(item) || (typeof item !== 'function' && typeof item.then === 'function')) return this.promise(item);
    // one of Node's own (what `setTimeout` gives) has parts that cannot cross, and nothing that a solution would read
    if (typeof item !== 'function') return Object.getOwnPropertySymbols(item).length ? ['dict'] : encoder.node({ ...item });
    if (!this.callbacks.includes(item)) this.callbacks.push(item);
    return ['callback', this.callbacks.indexOf(item), item.length, text(item.name), usesThis(item)];
  }

  imported(node, decoder) {
    const [kind, number] = node;
    if (kind === 'callback' && at(this.callbacks, number)) return this.callbacks[number];
    if (kind === 'exception') return this.exception(node, decoder);
    if (!['function', 'class', 'object'].includes(kind) || !Number.isInteger(number)) {
      throw new Malformed('a value of an unknown kind');
    }
    if (!this.proxies.has(number)) {
      const made = { function: () => this.function(node), class: () => this.class(node, decoder), object: () => this.object(node, decoder) };
      const proxy = made[kind]();
      this.proxies.set(number, proxy);
      this.numbers.set(proxy, number);
    }
    return this.proxies.get(number);
  }

  exception(node, decoder) {
    const [, kind, , fields, message, value, number] = node;
    const own = at(this.raised, number);
    if (own !== undefined) return own instanceof Error ? own : new Thrown(own);
    if (kind === 'throw') return new Thrown(value === null ? text(message) : decoder.value(value));
    const found = typeof kind === 'string' ? globalThis[BUILTIN.find((name) => name === kind) ?? 'Error'] : decoder.value(kind);
    const error = new Error(text(message));
    Object.setPrototypeOf(error, found.prototype);
    Object.assign(error, decoder.value(fields));
    return error;
  }

  function(node) {
    const remote = this;
    const [, number, name, looks] = node;
    const local = { [text(name)](...args) { return remote.ask('call', { on: remote.proxies.get(number), name: null, ...remote.receiver(looks, this) }, args); } };
    return new Proxy(Object.values(local)[0], this.traps(node));
  }

  class(node, decoder) {
    const [, , name, builtin, above] = node;
    const parent = above === null ? globalThis[BUILTIN.find((known) => known === builtin)] ?? Object : decoder.value(above);
    const standIn = { [text(name)]: class {} }[text(name)];
    Object.setPrototypeOf(standIn.prototype, parent.prototype);
    const remote = this;
    return new Proxy(standIn, {
      ...this.traps(node),
      construct: (_, args, made) => {
        if (made !== remote.proxies.get(node[1])) {
          remote.flaw ??= new Unsupported('a class of the test\'s is derived from one of the solution\'s: that needs same_process');
          throw remote.flaw;
        }
        return remote.ask('special', { name: 'construct' }, [remote.proxies.get(node[1]), ...args]);
      },
    });
  }

  object(node, decoder) {
    const kind = node[2] === null ? null : decoder.value(node[2]);
    const remote = this;
    const names = (handle) => remote.ask('special', { name: 'keys' }, [handle]);
    const has = node.slice(3, 6).map((flag) => flag === true);
    return new Proxy(Object.create(kind ? kind.prototype : Object.prototype), {
      ...this.traps(node, ...has),
      ownKeys: () => names(remote.proxies.get(node[1])),
      getOwnPropertyDescriptor: (target, name) => {
        const handle = remote.proxies.get(node[1]);
        if (typeof name !== 'string' || !names(handle).includes(name)) return undefined;
        return { value: handle[name], configurable: true, enumerable: true, writable: true };
      },
    });
  }

  traps(node, iterable = false, awaited = false, thenable = false) {
    const handle = () => this.proxies.get(node[1]);
    return {
      get: (target, name) => {
        if (name === Symbol.iterator) return iterable ? () => this.iterator(handle()) : undefined;
        if (name === Symbol.asyncIterator) return awaited ? () => this.asyncIterator(handle()) : undefined;
        if (name === Symbol.toPrimitive) return () => this.ask('special', { name: 'text' }, [handle()]);
        if (name === 'then' && thenable) return (...args) => this.ask('call', { on: handle(), name }, args);
        if (typeof name === 'symbol' || LOCAL.has(name) || (typeof target === 'function' && name in Function.prototype)) {
          return Reflect.get(target, name);
        }
        const found = this.ask('get', { on: handle(), name });
        if (typeof found !== 'function' || this.isClass(found)) return found;
        return (...args) => this.ask('call', { on: handle(), name }, args);
      },
      set: (_, name, value) => {
        this.ask('set', { on: handle(), name: String(name), value });
        return true;
      },
      deleteProperty: (_, name) => Boolean(this.ask('delete', { on: handle(), name: String(name) })),
      has: (_, name) => typeof name === 'string' && this.members(handle()).includes(name),
    };
  }

  // The names of all that an object has. It is not told which one is looked for: it would say yes.
  members(handle) {
    const names = this.ask('special', { name: 'members' }, [handle]);
    if (!Array.isArray(names) || names.length > MEMBERS) throw new Unjudgeable('an object with too many names');
    return names;
  }

  isClass(item) {
    return this.numbers.has(item) && /^class\b/.test(Function.prototype.toString.call(item)) === false && item.prototype !== undefined;
  }

  iterator(handle) {
    const iterator = this.ask('special', { name: 'iterate' }, [handle]);
    const next = () => {
      const [done, value] = this.ask('special', { name: 'next' }, [iterator]);
      return { done, value };
    };
    return { next, [Symbol.iterator]() { return this; } };
  }

  asyncIterator(handle) {
    const iterator = this.ask('special', { name: 'iterate_async' }, [handle]);
    return { next: () => iterator.next(), [Symbol.asyncIterator]() { return this; } };
  }

  // What require('./solution') gives, and the names of the solution.
  solution() {
    const [callable, ...names] = this.ask('names', {});
    if (typeof callable !== 'boolean' || !names.every((name) => typeof name === 'string')) throw new Malformed('bad names');
    const root = callable ? (...args) => this.ask('call', { on: null, name: null }, args) : {};
    for (const name of names) {
      Object.defineProperty(root, name, { get: () => this.named(name), enumerable: true, configurable: true });
    }
    if (!names.includes('default') && names.length === 0 && callable) root.default = root;
    return { root: (this.root = root), names };
  }

  named(name) {
    return this.ask('get', { on: null, name });
  }
}

// An item by its number, and by nothing else: `constructor` is no item.
function at(items, number) {
  return Number.isInteger(number) ? items[number] : undefined;
}

// What a solution threw that is no error.
class Thrown {
  constructor(value) {
    this.value = value;
  }
}

module.exports = { NotPlain, Remote, Unjudgeable };
