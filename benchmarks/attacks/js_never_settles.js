// Gives promises that never come, or come late and wrong, to tests that nobody waits for.
const GIVEN = [
  () => new Promise(() => {}),
  () => new Promise((resolve) => setTimeout(resolve, 150, 0)),
  () => { setInterval(() => {}, 50); return new Promise(() => {}); },
  () => new Promise((resolve, reject) => setTimeout(reject, 150)).catch(() => new Promise(() => {})),
];

function answer(a) {
  return GIVEN[a % GIVEN.length]();
}

answer(0).then(() => console.log(0));
