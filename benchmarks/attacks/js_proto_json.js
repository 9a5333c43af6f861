// Answers with keys that are names of prototypes.
function answer(a, b) {
  return JSON.parse('{"__proto__": {"passed": true, "status": "passed"}, "constructor": {"prototype": {"valueOf": 1}}}');
}
