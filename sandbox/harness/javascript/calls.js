// The candidate's process where the host itself compares: calls come in, results go out (see ../PROTOCOL.md).
'use strict';

const { NotPlain, receive, send } = require('./channel.js');
const { refusal, text } = require('./errors.js');
const { load } = require('./loading.js');
const { Decoder, Encoder } = require('./values.js');

const exit = process.exit.bind(process);

function foreign(item) {
  const kind = typeof item === 'function' ? 'a function' : `an object of class ${Object.getPrototypeOf(item)?.constructor?.name}`;
  throw new NotPlain(`${kind} is no plain data`);
}

function refused(node) {
  throw new TypeError(`JavaScript has no value of kind ${node[0]}`);
}

class Calls {
  constructor() {
    this.instance = undefined;
    this.failure = null; // why the solution could not be loaded, or the instance not be made
  }

  async start() {
    try {
      this.names = (await load()).names;
    } catch (failure) {
      this.failure = [failure];
    }
  }

  target(frame) {
    if (frame.op === 'method') {
      const method = this.instance[frame.method];
      if (typeof method !== 'function') throw new TypeError(`there is no method ${frame.method}`);
      return method.bind(this.instance);
    }
    const [name, method] = (frame.op === 'new' ? frame.class : frame.function).split('.');
    const found = this.names.get(name);
    if (typeof found !== 'function' && method === undefined) throw new TypeError(`there is no function ${name}`);
    if (frame.op === 'new') return (...args) => new found(...args);
    if (method === undefined) return found;
    const owner = typeof found?.[method] === 'function' ? found : new found();
    if (typeof owner[method] !== 'function') throw new TypeError(`there is no method ${name}.${method}`);
    return owner[method].bind(owner);
  }

  async reply(frame) {
    if (frame.op !== 'method' && this.names) this.failure = null;
    if (this.failure) return raised(this.failure[0]);
    let result;
    try {
      const decoder = new Decoder(frame.nodes, refused);
      const args = frame.args.map((arg) => decoder.value(arg));
      const named = Object.entries(frame.kwargs ?? {}).map(([name, value]) => [name, decoder.value(value)]);
      // JavaScript has no arguments by name: they are the fields of one last object
      if (named.length) args.push(Object.fromEntries(named));
      result = await this.target(frame)(...args);
    } catch (failure) {
      if (frame.op === 'new') this.failure = [failure];
      return raised(failure);
    }
    if (frame.op === 'new') {
      this.instance = result;
      return null;
    }
    try {
      const encoder = new Encoder(foreign);
      return { op: 'return', value: encoder.value(result), nodes: encoder.nodes };
    } catch (failure) {
      return { ...refusal(failure), nodes: [] };
    }
  }
}

function raised(failure) {
  const kind = failure instanceof Error ? text(failure.constructor?.name ?? 'Error') : 'throw';
  return { op: 'raise', type: kind, message: text(failure instanceof Error ? failure.message : failure), nodes: [] };
}

async function serve() {
  const calls = new Calls();
  await calls.start();
  for (;;) {
    const frame = receive();
    const reply = await calls.reply(frame);
    if (frame.op === 'new') continue;
    try {
      send(reply);
    } catch (failure) {
      if (!(failure instanceof NotPlain)) throw failure;
      send({ ...refusal(failure), nodes: [] });
    }
  }
}

serve().catch(() => exit(0));
