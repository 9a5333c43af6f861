// Hangs in a busy loop.
function answer(a, b) {
  for (;;) { /* for ever */ }
}
module.exports = { answer };
answer(0, 0);
