"""Which colour and dash a line has: by its name, so that it keeps them from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from audits.figures.plot import STYLES
from trueward.types import Outcome

WHOLE = ("reward", "score", "missing", "groups", "length")
"""Names of our own, which have the first style: a figure has one of them at most."""
_OUTCOMES = {"correct": 2, "incorrect": 1, "partial": 4, "scored": 5, "invalid": 3}
_SEED = 69
"""By which answer, format, math, code, exact, judge and language differ."""
_OURS = 6
"""Style of outcomes without a score: the soft one."""


def styles(names: Sequence[str]) -> list[str]:
    """One a name. A name that would share its style with one before it gets the next that is free, while there are
    any."""
    taken: dict[str, int] = {}
    for name in names:
        wanted = _wanted(name)
        free = [one for shift in range(STYLES) if (one := (wanted + shift) % STYLES) not in taken.values()]
        taken[name] = free[0] if free else wanted
    return [f"s{taken[name]}" for name in names]


def _wanted(name: str) -> int:
    if name in WHOLE:
        return 0
    outcome = name.partition(":")[0]
    if outcome in {each.value for each in Outcome}:
        return _OUTCOMES.get(outcome, _OURS)
    return 1 + crc32(name.encode("utf-8", "replace"), _SEED) % (STYLES - 1)
