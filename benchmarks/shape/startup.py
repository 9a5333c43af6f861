"""What an import costs: CPU seconds and modules, in a fresh interpreter, beyond what the interpreter takes itself."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from statistics import median

from benchmarks.shape.sources import ROOT

_PROGRAM = """
import sys, time
before, started = set(sys.modules), time.process_time()
{statement}
took_s = time.process_time() - started
print(took_s, *sorted(set(sys.modules) - before))
"""
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Startup:
    """``cpu_s`` is the median over the rounds; ``largest`` are the packages with most modules, and how many."""

    statement: str
    cpu_s: float
    modules: int
    largest: dict[str, int]


def startup(statement: str, rounds: int) -> Startup:
    """Runs the statement in ``rounds`` fresh interpreters; the files are in the machine's cache after the first."""
    taken_s = []
    pulled: list[str] = []
    for _ in range(rounds):
        program = [sys.executable, "-c", _PROGRAM.format(statement=statement)]
        shown = subprocess.run(program, cwd=ROOT, capture_output=True, check=True, text=True)
        first, *pulled = shown.stdout.split()
        taken_s.append(float(first))
    tops = Counter(name.partition(".")[0] for name in pulled)
    return Startup(statement, round(median(taken_s), 4), len(pulled), dict(tops.most_common(_SHOWN)))
