// Values as nodes of a table, both ways (see ../PROTOCOL.md): nesting, sharing and cycles cost no depth.
//
// An Encoder appends to a table what it has not met yet; a Decoder reads a whole table. Both know plain data alone:
// what is none goes to `foreign`, which each side of the channel defines for itself.
'use strict';

const { types } = require('util');

const { Malformed, NotPlain } = require('./channel.js');

const { getPrototypeOf, keys, defineProperty } = Object;

class Encoder {
  // `known`: objects that the other side has, by the number of their node; `first`: the number of the first new node
  constructor(foreign, known = new Map(), first = 0) {
    this.nodes = [];
    this.foreign = foreign;
    this.numbers = new Map(known);
    this.first = first;
    this.pending = [];
  }

  value(item) {
    const found = this.reference(item);
    while (this.pending.length) {
      const [number, object] = this.pending.pop();
      this.nodes[number - this.first] = this.node(object);
    }
    return found;
  }

  // The node of an object, whatever is known of it: how a container that was changed is sent again.
  node(object) {
    const see = (item) => this.reference(item);
    if (Array.isArray(object)) return ['list', ...Array.from(object, see)];
    if (types.isSet(object)) return ['set', ...Array.from(Set.prototype.values.call(object), see)];
    if (types.isMap(object)) return ['map', ...Array.from(Map.prototype.entries.call(object)).flat().map(see)];
    if (types.isDate(object)) return ['jsdate', see(Date.prototype.getTime.call(object))];
    if (types.isUint8Array(object)) return ['bytes', Buffer.from(object).toString('hex')];
    if (Object.getOwnPropertySymbols(object).length) throw new NotPlain('an object has symbols as keys');
    return ['dict', ...keys(object).flatMap((name) => [name, see(object[name])])];
  }

  settle() {
    this.value(null);
  }

  reference(item) {
    switch (typeof item) {
      case 'boolean':
      case 'string':
        return item;
      case 'number':
        if (Number.isNaN(item)) return this.add(['float', 'nan']);
        if (!Number.isFinite(item)) return this.add(['float', item > 0 ? 'inf' : '-inf']);
        return Object.is(item, -0) ? this.add(['float', '-0']) : item;
      case 'bigint':
        return this.add(['int', item.toString(16)]);
      case 'undefined':
        return this.add(['undefined']);
      case 'symbol':
        throw new NotPlain('a symbol is no plain data');
      default:
        return item === null ? null : this.object(item);
    }
  }

  object(item) {
    const known = this.numbers.get(item);
    if (known !== undefined) return [known];
    if (!isPlain(item)) return this.foreign(item, this);
    const [number] = this.add(null);
    this.numbers.set(item, number);
    this.pending.push([number, item]);
    return [number];
  }

  // Appends a node; its reference.
  add(node) {
    this.nodes.push(node);
    return [this.first + this.nodes.length - 1];
  }
}

// Whether an object goes by value: data of the language itself, of exactly its own kind.
function isPlain(item) {
  if (typeof item !== 'object' || types.isProxy(item)) return false;
  if (Array.isArray(item) || types.isSet(item) || types.isMap(item) || types.isDate(item)) return true;
  if (types.isUint8Array(item)) return true;
  const prototype = getPrototypeOf(item);
  if (prototype === null) return true;
  return prototype === Object.prototype && !types.isExternal(item) && !types.isArgumentsObject(item);
}

// Whether an object is plain and holds others.
function isContainer(item) {
  return item !== null && isPlain(item) && !types.isDate(item) && !types.isUint8Array(item);
}

// Whether a function may look at what it is called on, by its text.
function usesThis(item) {
  return /\bthis\b/.test(Function.prototype.toString.call(item));
}

class Decoder {
  // `known`: what stands below the table's first number; `foreign(node, decoder)` reads the kinds that are not plain
  constructor(nodes, foreign, known = []) {
    if (!Array.isArray(nodes)) throw new Malformed('a frame has no table of nodes');
    this.foreign = foreign;
    this.nodes = nodes;
    this.first = known.length;
    this.objects = [...known, ...nodes.map((node) => this.shell(node))];
    nodes.forEach((node, index) => this.fill(this.objects[this.first + index], node));
  }

  value(item) {
    if (!Array.isArray(item)) {
      if (item !== null && typeof item === 'object') throw new Malformed('a value is an object');
      return item;
    }
    const [number] = item;
    if (item.length !== 1 || !Number.isInteger(number) || number < 0 || number >= this.objects.length) {
      throw new Malformed('a reference leads nowhere');
    }
    const found = this.objects[number];
    if (typeof found !== 'function' || !found.delayed) return found;
    return (this.objects[number] = found());
  }

  shell(node) {
    if (!Array.isArray(node) || typeof node[0] !== 'string') throw new Malformed('a node has no kind');
    const [kind, text] = node;
    switch (kind) {
      case 'list': case 'tuple': case 'keys': case 'values':
        return [];
      case 'set': case 'frozenset':
        return new Set();
      case 'map':
        return new Map();
      case 'dict': case 'ordereddict': case 'counter':
        return node.some((item, index) => index % 2 === 1 && typeof item !== 'string') ? new Map() : {};
      case 'int':
        return integer(text);
      case 'float':
        return special(text);
      case 'bytes': case 'bytearray':
        return Uint8Array.from(Buffer.from(String(text), 'hex'));
      case 'typed':
        return typed(text, node[2]);
      case 'jsdate':
        return new Date(typeof text === 'number' ? text : NaN);
      case 'undefined':
        return undefined;
      default:
        return Object.assign(() => this.foreign(node, this), { delayed: true });
    }
  }

  // Gives a container the contents of a node, in the place of those it has.
  fill(object, node) {
    const [kind, ...items] = node;
    if (Array.isArray(object)) {
      object.length = 0;
      for (const item of items) object.push(this.value(item));
    } else if (types.isSet(object)) {
      object.clear();
      for (const item of items) object.add(this.value(item));
    } else if (types.isMap(object)) {
      object.clear();
      for (let index = 0; index < items.length; index += 2) object.set(this.value(items[index]), this.value(items[index + 1]));
    } else if (types.isTypedArray(object)) {
      const now = this.shell(node);
      if (!types.isTypedArray(now) || now.length !== object.length) throw new Malformed('an array of numbers of another length');
      object.set(now);
    } else if (kind === 'dict' || kind === 'ordereddict' || kind === 'counter') {
      for (const name of keys(object)) delete object[name];
      for (let index = 0; index < items.length; index += 2) {
        // a key named __proto__ is data, too
        const field = { value: this.value(items[index + 1]), configurable: true, enumerable: true, writable: true };
        defineProperty(object, items[index], field);
      }
    }
  }
}

const TYPED = [Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array];

// The node of a typed array that is no Uint8Array.
function typedNode(item) {
  const kind = TYPED.find((known) => item instanceof known);
  return ['typed', kind.name, Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('hex')];
}

function typed(name, digits) {
  const kind = TYPED.find((known) => known.name === name);
  const bytes = Buffer.from(String(digits), 'hex');
  if (!kind || bytes.length % kind.BYTES_PER_ELEMENT) throw new Malformed('an array of numbers is malformed');
  return new kind(Uint8Array.from(bytes).buffer);
}

const SPECIAL = new Map([['nan', NaN], ['inf', Infinity], ['-inf', -Infinity], ['-0', -0]]);

function special(text) {
  if (!SPECIAL.has(text)) throw new Malformed('a float is none of the special ones');
  return SPECIAL.get(text);
}

function integer(text) {
  if (!/^-?[0-9a-f]{1,4000000}$/.test(String(text))) throw new Malformed('an integer is malformed');
  return text.startsWith('-') ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
}

module.exports = { Decoder, Encoder, isContainer, isPlain, typedNode, usesThis };
