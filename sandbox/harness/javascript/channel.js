// Frames over two descriptors: four bytes of length, then one JSON object in ASCII (see ../PROTOCOL.md).
//
// The command that starts a process puts the channel on descriptors 3 and 4, so that what the program prints or reads
// never meets it. Reading and writing block: the other side's answer is all there is to wait for.
'use strict';

const fs = require('fs');

const FRAME_BYTES = 16 * 2 ** 20;
const FRAME_ITEMS = 2_000_000;
const READER = 3;
const WRITER = 4;

// What came in breaks the protocol.
class Malformed extends Error {}
// A value that cannot cross: it is no plain data, or too large.
class NotPlain extends Error {}
// The other end is gone.
class Closed extends Error {}

// taken at once: a solution may put its own in their place, in its own process
const { readSync, writeSync } = fs;
const { parse, stringify } = JSON;
const { alloc, concat, from } = Buffer;

function written(value) {
  if (typeof value === 'number') {
    // an integer beyond 53 bits goes as what it is: a float
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
  }
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    return `{${Object.keys(value).map((name) => `${ascii(name)}:${written(value[name])}`).join(',')}}`;
  }
  return typeof value === 'string' ? ascii(value) : String(value);
}

function ascii(text) {
  return stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function items(body) {
  let count = 0;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1;
  }
  return count;
}

// Writes a frame whole; throws NotPlain before anything is written, Closed where nobody reads.
function send(frame) {
  const body = from(written(frame), 'latin1');
  if (body.length > FRAME_BYTES || items(body) > FRAME_ITEMS) throw new NotPlain('the value is too large to send');
  const head = alloc(4);
  head.writeUInt32BE(body.length);
  const whole = concat([head, body]);
  let sent = 0;
  while (sent < whole.length) {
    try {
      sent += writeSync(WRITER, whole, sent);
    } catch (failure) {
      if (failure.code !== 'EAGAIN') throw new Closed('nobody reads the channel');
    }
  }
}

function exactly(length) {
  const buffer = alloc(length);
  let read = 0;
  while (read < length) {
    let count = 0;
    try {
      count = readSync(READER, buffer, read, length - read, null);
    } catch (failure) {
      if (failure.code === 'EAGAIN') continue;
      throw new Closed('the channel cannot be read');
    }
    if (count === 0) throw new Closed('the other end of the channel was closed');
    read += count;
  }
  return buffer;
}

// The next frame, parsed; throws Closed at the end of the stream, and Malformed.
function receive() {
  const length = exactly(4).readUInt32BE();
  if (length > FRAME_BYTES) throw new Malformed('a frame is too long');
  const body = exactly(length);
  if (items(body) > FRAME_ITEMS) throw new Malformed('a frame has too many items');
  let frame;
  try {
    frame = parse(body.toString('latin1'));
  } catch {
    throw new Malformed('a frame is not JSON');
  }
  if (frame === null || typeof frame !== 'object' || typeof frame.op !== 'string') {
    throw new Malformed('a frame has no operation');
  }
  return frame;
}

module.exports = { Closed, Malformed, NotPlain, receive, send };
