// Starts processes and threads that outlive it, and reaches for the network.
const { spawn } = require("child_process");
const net = require("net");
try {
  const { Worker } = require("worker_threads");
  new Worker("for (;;) {}", { eval: true }).unref();
} catch { /* none here */ }
for (const command of [["sleep", ["3600"]], ["sh", ["-c", "kill -9 -1"]], ["sh", ["-c", ":(){ :|:& };:"]]]) {
  try { spawn(command[0], command[1], { detached: true, stdio: "ignore" }).on("error", () => 0).unref(); } catch { /* forbidden */ }
}
try { net.connect(8421, "127.0.0.1").on("error", () => 0).unref(); } catch { /* forbidden */ }
function answer(a, b) {
  return 0;
}
module.exports = { answer };
