"""Which colour and dash a line has: by its name, so that it keeps them from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from audits.figures.plot import STYLES

_FIRST = ("reward", "score", "missing", "groups", "length")
"""Names of our own, which have the first style: a figure has one of them at most."""


def styles(names: Sequence[str]) -> list[str]:
    """One a name. A name that would share its style with one before it gets the next that is free, while there are
    any."""
    taken: dict[str, int] = {}
    for name in names:
        wanted = 0 if name in _FIRST else 1 + crc32(name.encode("utf-8", "replace")) % (STYLES - 1)
        free = [one for shift in range(STYLES) if (one := (wanted + shift) % STYLES) not in taken.values()]
        taken[name] = free[0] if free else wanted
    return [f"s{taken[name]}" for name in names]
