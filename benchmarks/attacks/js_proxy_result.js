// Answers with a proxy that traps everything.
const traps = new Proxy({}, { get: () => () => true });
function answer(a, b) {
  return new Proxy(function () {}, traps);
}
console.log(String(0));
