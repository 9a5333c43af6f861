"""How many labels an audit needs, before anybody starts to label.

``labels_for_bound``: so that a verifier whose rate is ``rate`` passes a gate at ``bound`` with probability ``power``,
where the gate looks at the upper end of Clopper and Pearson's interval. ``labels_for_width``: so that Wilson's interval
is no wider than wanted. Both count truly wrong items for a false-positive rate and truly right ones for a
false-negative rate; ``responses`` says how many responses hold that many.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from audits.statistics.arrays import Floats, in_open_unit
from audits.statistics.proportion import LEVEL, wilson

MOST_ERRORS = 1 << 16


def labels_for_bound(rate: float, bound: float, power: float = 0.8, level: float = LEVEL) -> int:
    """The least n such that it and every larger one reach the power; ``0 <= rate < bound``.

    Power is a saw-tooth in n: it jumps where one more error is allowed, and falls from there to the next jump. Raises
    ValueError where the rate is so close to the bound that tens of thousands of errors would have to be found.
    """
    in_open_unit("bound", bound)
    in_open_unit("power", power)
    if not 0 <= rate < bound:
        raise ValueError(f"the true rate must be at least 0 and below the bound {bound:g}, got {rate:g}")
    tail = (1 - in_open_unit("level", level)) / 2
    teeth = 64
    while teeth <= MOST_ERRORS:
        allowed = np.arange(teeth)
        starts = _starts(np.arange(teeth + 1), bound, tail)
        worst = scipy.special.bdtr(allowed.astype(np.float64), (starts[1:] - 1).astype(np.int64), rate)
        failing = np.flatnonzero(worst < power)
        last = int(failing[-1]) if len(failing) else -1
        if last < teeth // 2:
            return int(starts[last + 1])
        teeth *= 2
    raise ValueError(
        f"the rate {rate:g} is too close to the bound {bound:g}: no affordable number of labels tells them apart"
    )


def labels_for_width(rate: float, width: float, level: float = LEVEL) -> int:
    """The least n whose Wilson interval about ``rate`` (in [0, 1]) is at most ``width`` wide."""
    in_open_unit("width", width)
    if not 0 <= rate <= 1:
        raise ValueError(f"rate must lie in [0, 1], got {rate:g}")
    low, high = 0, 1
    while wilson(rate * high, high, level).width > width:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wilson(rate * middle, middle, level).width > width else (low, middle)
    return high


def responses(labels: int, share: float, group_size: float = 1.0, correlation: float = 0.0) -> int:
    """Responses to label until ``labels`` independent ones of a kind are among them, on average.

    ``share`` of all responses are of that kind; ``group_size`` of them answer one prompt, and their errors correlate
    within it: the design effect is ``1 + (group_size - 1) correlation`` (Kish 1965).
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must lie in (0, 1], got {share:g}")
    if group_size < 1 or not 0 <= correlation <= 1:
        raise ValueError("group_size must be at least 1 and correlation in [0, 1]")
    return math.ceil(labels * (1 + (group_size - 1) * correlation) / share)


def _starts(errors: np.ndarray[tuple[int, ...], np.dtype[np.int64]], bound: float, tail: float) -> Floats:
    """The least n at which so many errors leave the upper end of the interval at or below the bound."""
    starts: Floats = np.ceil(scipy.special.bdtrin(errors.astype(np.float64), tail, bound))
    # the inverse is solved to a tolerance: one step back where that already suffices
    before = np.maximum(starts - 1, errors)
    enough = scipy.special.bdtr(errors.astype(np.float64), before.astype(np.int64), bound) <= tail
    return np.where(enough & (before > errors), before, starts)
