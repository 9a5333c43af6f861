"""Flips between two versions of a verifier, and whether one direction is more frequent (McNemar 1947).

Only items on which they differ say anything. The exact test is conservative; its mid-p form (Fagerland, Lydersen and
Laake 2013) is closer to its level.
"""

from __future__ import annotations

from typing import NamedTuple

import scipy

from audits.statistics.agreement import agreement
from audits.statistics.arrays import Verdicts


class Flips(NamedTuple):
    """``gained`` items went from rejected to accepted, ``lost`` the other way; ``items`` have both verdicts."""

    gained: int
    lost: int
    items: int
    exact: float
    mid: float


def flips(before: Verdicts, after: Verdicts) -> Flips:
    """N verdicts (1, 0, None) of the old version and N of the new, with two-sided p-values."""
    counted = agreement(before, after)
    exact, mid = mcnemar(counted.only_second, counted.only_first)
    return Flips(counted.only_second, counted.only_first, counted.items, exact, mid)


def mcnemar(gained: int, lost: int) -> tuple[float, float]:
    """Two-sided p-values, exact and mid-p; both 1 where nothing flipped."""
    if min(gained, lost) < 0:
        raise ValueError("counts must be at least 0")
    total, fewer = gained + lost, min(gained, lost)
    if total == 0:
        return 1.0, 1.0
    below = float(scipy.special.bdtr(fewer, total, 0.5))
    here = below - (float(scipy.special.bdtr(fewer - 1, total, 0.5)) if fewer else 0.0)
    return min(2 * below, 1.0), min(2 * below - here, 1.0)
