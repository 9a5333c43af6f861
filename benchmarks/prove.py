"""All long forms, one after another: ``python -m benchmarks.prove [--short]``.

Each runs in a process of its own and leaves its JSON document; one that fails does not keep the others from
running. Ends with 1 where a claim is broken or a benchmark crashed; an aim that is missed is a result.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from benchmarks.report import called

BENCHMARKS: dict[str, tuple[str, ...]] = {
    "path": (),
    "revisions": (),
    "trainers": (),
    "hangs": (),
    "hangers": (),
    "decoding": (),
    "lag": (),
    "soak": (),
    "overload": (),
    "million": (),
    "math": (),
    "accuracy": ("--sealed",),
    "sandbox": (),
    "exploits": (),
    "agreement": (),
    "runs": (),
    "rewards": (),
    "models": (),
    "judges": (),
    "patience": (),
    "slow_judge": (),
    "standins": (),
    "verifiers": (),
    "fooled": (),
    "audit": (),
    "watch": (),
    "pages": (),
    "replicas": (),
    "guessing": (),
    "learning": (),
    "real": (),
    "writing": (),
    "held": (),
    "science": (),
}
"""What is run, and what each is told besides its form."""


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("prove", (__doc__ or "").partition("\n")[0], arguments, default="long")
    failed = []
    for name, extra in BENCHMARKS.items():
        print(f"=== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", "--results", str(call.results), *extra]
        options = [] if call.form == "quick" else [f"--{call.form}"]
        if subprocess.run([*command, *options]).returncode != 0:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
