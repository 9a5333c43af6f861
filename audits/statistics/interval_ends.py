"""Ends of intervals, many at once: what strata of a sample need, and how they are combined.

``ends`` is the wider of Wilson's interval (1927) and Clopper and Pearson's (1934), each end by itself: for rare errors
Wilson's upper end is safe and its lower one is not (1 error of 60 has a lower end seven times the exact one).

``lasting_ends`` hold at all times at once, however often one looks (a confidence sequence): the rates whose likelihood
is above level's share of the mean likelihood under a beta prior (Ville 1939; Robbins 1970; arXiv 2010.09686 for the
general theory).

Combined are ends by MOVER, the "method of variance estimates recovery" (Zou and Donner 2008; for ratios Donner and Zou
2012): the distance of each end from its estimate is what its spread is at that end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy

from audits.statistics.arrays import Bools, Floats
from audits.statistics.proportion import Interval, quantile

_PRIOR = (0.5, 0.5)
_STEPS = 60


class RateEnds(NamedTuple):
    """Lower and upper ends of S rates."""

    low: Floats
    high: Floats


def ends(errors: Floats, trials: Floats, level: float) -> RateEnds:
    """Of S rates; counts may be fractions, and [0, 1] is what is known without trials."""
    known = trials > 0
    size = np.where(known, trials, 1.0)
    wrong = np.clip(np.where(known, errors, 0.0), 0.0, size)
    z, tail = quantile(level), (1 - level) / 2
    rate, spread = wrong / size, z * z / size
    centre = (rate + spread / 2) / (1 + spread)
    half = z * np.sqrt(rate * (1 - rate) / size + spread / (4 * size)) / (1 + spread)
    none, every = wrong <= 0, wrong >= size
    low = scipy.special.betaincinv(np.where(none, 1.0, wrong), size - wrong + 1, tail)
    high = scipy.special.betaincinv(wrong + 1, np.where(every, 1.0, size - wrong), 1 - tail)
    low = np.where(none | ~known, 0.0, np.minimum(low, centre - half))
    high = np.where(every | ~known, 1.0, np.maximum(high, centre + half))
    return RateEnds(np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))


def lasting_ends(errors: Floats, trials: Floats, level: float) -> RateEnds:
    """The same, valid at all times at once."""
    one, other = _PRIOR
    size = np.maximum(trials, 0.0)
    wrong = np.clip(errors, 0.0, size)
    mixture = scipy.special.betaln(wrong + one, size - wrong + other) - scipy.special.betaln(one, other)
    least = mixture + math.log(1 - level)
    rate = np.where(size > 0, wrong / np.maximum(size, 1e-300), 0.5)

    def inside(at: Floats) -> Bools:
        likely: Floats = scipy.special.xlogy(wrong, at) + scipy.special.xlog1py(size - wrong, -at)
        kept: Bools = likely >= least
        return kept

    def edge(outer: float) -> Floats:
        beyond, within = np.full(len(size), outer), rate.copy()
        for _ in range(_STEPS):
            middle = (beyond + within) / 2
            good = inside(middle)
            within, beyond = np.where(good, middle, within), np.where(good, beyond, middle)
        return np.where(inside(np.full(len(size), outer)), outer, within)

    return RateEnds(edge(0.0), edge(1.0))


class Estimated(NamedTuple):
    """A total or a rate with its ends."""

    value: float
    low: float
    high: float

    @property
    def interval(self) -> Interval:
        return Interval(self.low, self.high)


def total(values: Floats, lows: Floats, highs: Floats, unknown: Bools | None = None, further: float = 0.0) -> Estimated:
    """The sum of S independent parts. Of the ``unknown`` ones nothing but their ends is known, so these add up in full;
    ``further`` is a squared half width that is added on both sides."""
    value = float(values.sum())
    wide = np.zeros(len(values), dtype=np.bool_) if unknown is None else unknown
    down, up = values - lows, highs - values
    below = math.sqrt(float(np.sum(down[~wide] ** 2)) + further) + float(down[wide].sum())
    above = math.sqrt(float(np.sum(up[~wide] ** 2)) + further) + float(up[wide].sum())
    return Estimated(value, value - below, value + above)


def share_of(part: Estimated, other: Estimated) -> Estimated:
    """``part / (part + other)`` of two independent totals that are not below 0."""
    whole = part.value + other.value
    low = _least_ratio(part.value, max(part.low, 0.0), other.value, other.high)
    inverse = _least_ratio(other.value, max(other.low, 0.0), part.value, part.high)
    rate = part.value / whole if whole > 0 else 0.0
    least = 1.0 if math.isinf(low) else low / (1 + low)
    return Estimated(rate, min(least, rate), max(1 / (1 + inverse), rate))


def widen(found: Estimated, by: Estimated) -> Estimated:
    """Two independent sources of error of one rate, which ``found`` estimates."""
    down = math.hypot(found.value - found.low, by.value - by.low)
    up = math.hypot(found.high - found.value, by.high - by.value)
    return Estimated(found.value, max(found.value - down, 0.0), min(found.value + up, 1.0))


def _least_ratio(part: float, part_low: float, whole: float, whole_high: float) -> float:
    """The lower end of ``part / whole``: Donner and Zou 2012, in the form that does not cancel."""
    least = part_low * (2 * part - part_low)
    if least <= 0:
        return 0.0
    product = part * whole
    root = math.sqrt(max(product * product - least * whole_high * (2 * whole - whole_high), 0.0))
    return least / (product + root) if product + root > 0 else math.inf
