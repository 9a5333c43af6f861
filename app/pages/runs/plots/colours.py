"""Which colour and dash a line has: by its name, so that it keeps them from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from trueward.wire.verdict import Outcome

OURS = "this run"
WHOLE = ("reward", "score", "missing", "groups", "length", OURS)
"""Names of our own, which have the first style: a figure has one of them at most."""
_OUTCOMES = {"correct": 2, "incorrect": 1, "partial": 4, "scored": 5, "invalid": 3}
_NAMED = (1, 2, 3, 4, 7, 6)
"""Styles that names choose among: not that of the whole, nor the one that is like it."""
_SALT = b"\x00\x1d"
"""By which answer, format, math, code, exact and judge differ."""
_OURS = 6
"""Style of outcomes without a score: the soft one."""


def styles(names: Sequence[str]) -> list[str]:
    """One a name. A name that would share its style with one before it gets the next that is free, while there are
    any."""
    taken: dict[str, int] = {}
    for name in names:
        wanted = _colour_number(name)
        after = (*_NAMED[_NAMED.index(wanted) :], *_NAMED, 5, 0) if wanted in _NAMED else (wanted, *_NAMED, 5)
        free = [one for one in after if one not in taken.values()]
        taken[name] = free[0] if free else wanted
    return [f"s{taken[name]}" for name in names]


def _colour_number(name: str) -> int:
    if name in WHOLE:
        return 0
    outcome = name.partition(":")[0]
    if outcome in {each.value for each in Outcome}:
        return _OUTCOMES.get(outcome, _OURS)
    hashed = blake2b(name.encode("utf-8", "replace"), digest_size=4, salt=_SALT).digest()
    return _NAMED[int.from_bytes(hashed) % len(_NAMED)]
