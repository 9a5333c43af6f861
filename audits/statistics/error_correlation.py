"""How far the members of a group share their errors.

Groups count by their members, not by their pairs: else the largest group, which as a rule has no error, would decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audits.statistics.arrays import Floats, Ints
from audits.statistics.interval_ends import ends

_LEVEL = 0.8


class ErrorCorrelation(NamedTuple):
    """``correlation`` of the errors of two members of a group, in [0, 1], and its upper end. ``informative`` counts the
    groups that say something of it: those with an error and another member. Without one it is not known (0, 1)."""

    correlation: float
    high: float
    informative: int


def estimate_error_correlation(errors: Floats, counts: Floats, weight: Floats, place: Ints) -> ErrorCorrelation:
    """Of labelled units: ``counts`` is above 0 for members, ``errors`` is ``counts`` times the share of errors,
    ``weight`` how many units a unit stands for, and ``place`` the number of its group."""
    member = counts > 0
    share = np.divide(errors, counts, out=np.zeros(len(counts)), where=member)
    several = np.bincount(place, weights=member) > 1
    informative = int(np.count_nonzero(several & (np.bincount(place, weights=share) > 0)))
    if not informative:
        return ErrorCorrelation(0.0, 1.0, 0)
    stands = weight * member
    size = np.bincount(place, weights=stands)
    # pairs of a group over its size, so that it counts about as often as it has members
    scale = np.divide(1.0, size, out=np.zeros(len(size)), where=several)
    pairs = scale * (size**2 - np.bincount(place, weights=stands**2))
    mean = float(np.sum(pairs * scale * np.bincount(place, weights=stands * share)) / pairs.sum())
    residual = stands * (share - mean)
    both = scale * (np.bincount(place, weights=residual) ** 2 - np.bincount(place, weights=residual**2))
    spread = mean * (1 - mean) * float(pairs.sum())
    correlation = min(max(float(both.sum()) / spread, 0.0), 1.0) if spread > 0 else 1.0
    # beside an error another member of its group is one with this probability, of which each group is one trial
    beside = mean + correlation * (1 - mean)
    trials = np.array([float(informative)])
    high = float(ends(beside * trials, trials, _LEVEL).high[0])
    return ErrorCorrelation(correlation, max((high - mean) / (1 - mean), correlation) if mean < 1 else 1.0, informative)
