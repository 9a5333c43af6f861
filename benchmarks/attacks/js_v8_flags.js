// Turns on the engine's own switches, snapshots and inspectors.
try { require('v8').setFlagsFromString('--allow-natives-syntax'); } catch {}
try { require('inspector').open(0); } catch {}
try { process.binding('fs'); } catch {}
try { require('v8').writeHeapSnapshot('/tmp/x.heapsnapshot'); } catch {}
try { eval('%CollectGarbage(1)'); } catch {}
function answer(a, b) { return 0; }
