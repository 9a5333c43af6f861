// Answers with objects that turn into whatever is asked, and with thenables.
function answer(a, b) {
  const seen = [];
  const o = { [Symbol.toPrimitive]: (hint) => (hint === 'number' ? 9e11 : '900000000000'), valueOf: () => 9e11, toString: () => '9', toJSON: () => 9e11, then: (f) => f(9e11), [Symbol.iterator]: function* () { yield* [1, 2]; } };
  if (a === 1) return Object.assign(Object.create(null), o);
  if (a === 2) return Object.assign(Promise.resolve(o), o);
  return o;
}
answer(0, 1);
