// What a solution throws, as an `exception` node.
'use strict';

const { NotPlain } = require('./channel.js');

const BUILTIN = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError'];

// Adds the node; its reference. `classOf` names the solution's own class of an error: a reference, or null; `number`: which
// of the errors of the tests' it is, if any.
function thrown(failure, encoder, classOf, number = null) {
  if (!(failure instanceof Error)) {
    let value;
    try {
      value = encoder.value(failure);
    } catch {
      value = null;
    }
    return encoder.add(['exception', 'throw', encoder.value([]), encoder.value({}), text(failure), value, number]);
  }
  const kind = BUILTIN.find((name) => failure.constructor === globalThis[name]) || classOf(failure, encoder) || 'Error';
  return encoder.add(['exception', kind, encoder.value([text(failure.message)]), fields(failure, encoder), text(failure.message), null, number]);
}

// The own plain fields of an error.
function fields(failure, encoder) {
  const found = {};
  for (const name of Object.keys(failure)) {
    const value = failure[name];
    if (value === null || ['boolean', 'string', 'number', 'bigint'].includes(typeof value)) found[name] = value;
  }
  if (Object.hasOwn(failure, 'name')) found.name = text(failure.name);
  return encoder.value(found);
}

function text(value) {
  try {
    return String(value).slice(0, 10_000);
  } catch {
    return '';
  }
}

function refusal(failure) {
  return { op: 'not_plain', reason: failure instanceof NotPlain ? failure.message : text(failure) };
}

module.exports = { BUILTIN, refusal, text, thrown };
