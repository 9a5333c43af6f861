"""A test that may be looked at after every step: has a mean left its trend?

At the end of each step the mean of the latest 1, 2, 3, 4, 6, 8, 12 steps is held against two forecasts from the steps
before, a constant and a straight line, by a predictive t test: it must miss both on the same side, and by more than
the forecasts shortly before did. A line through fewer steps must be off, too. So a curve that rises, falls, bends or
levels off is no shift. How the chance of a false alarm is spent is in ``sequential``.

**Strata.** Data sources have means of their own, and a data loader may deal them by whole batches; a prompt that comes
again is answered better. So means come by stratum, and each is foretold from its own past; what is tested is the mean
of their gaps, weighted by the groups that the latest steps have of each. A stratum with fewer than ``SHORTEST`` steps
of late, or that was away for more than ``AWAY``, is new: it is left out. Half of the chance is for all strata
together, half for each by itself.

Not covered: steps that resemble their neighbours for other reasons than a trend, such as one source's data in the
order of their difficulty; a mean that takes off within some 40 steps, which is found as a jump; and more than some
eight sources that are dealt by whole batches, each of which then has too few steps to be foretold from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.sequential import LAGS, Crossing, Crossings, cumulate, find_first, log_chance, part

OVERLAP = 12.0
"""By how much the sum of the levels of all comparisons, which must be significant twice, may exceed the stated
chance of a false alarm."""
SHORTEST = 12
"""Steps that a forecast needs."""
LEVEL_STEPS, LINE_STEPS = 48, 96
"""Steps that the forecasts are made from at most."""
NEAR_STEPS, NEAR_ERRORS = 32, 3.0
"""Steps of a second line, and by how many standard errors at least it must be missed, too."""
LONGEST_SHIFT = 12
BEND = 2.0
"""By how much a forecast must be further off than that of as many steps before: what it always misses is a curve."""
AWAY = 32
"""Steps without a record after which a stratum begins anew: the policy has learned elsewhere."""
WEIGHT, STEP, SQUARE, VALUE, VALUE_SQUARE, COUNT, CROSS = range(7)
"""The sums that least squares needs."""


@dataclass(frozen=True, slots=True)
class Means:
    """Of S strata and T steps: the mean (NaN: none) and how many groups it is of, shape S x T; of each stratum the
    variance of a group's mean within a step, and the one that independent records would have, which is the least that
    is believed."""

    mean: Floats
    weight: Floats
    variance: Floats
    least_variance: Floats

    def of(self, rows: slice | Ints) -> Means:
        """Those of some strata."""
        return Means(self.mean[rows], self.weight[rows], self.variance[rows], self.least_variance[rows])


def detect_shift(
    means: Means, chance: float, least: float, *, first: int = 0, breaks: Ints | None = None, sides: int = 2
) -> Crossing | None:
    """Whether the mean left its trend by more than ``least`` at any step, in all strata together or in one.

    ``breaks``: for each step the first one that it may be compared with (steps in between were not read). ``sides``:
    2 for both, -1 for a fall alone.
    """
    steps = means.mean.shape[1]
    allowed = np.zeros(steps, np.int64) if breaks is None else breaks
    if len(means.mean) == 1:
        return _scan(means, chance, least, first, allowed, sides)
    enough = np.flatnonzero((~np.isnan(means.mean)).sum(axis=1) > SHORTEST)
    if not len(enough):
        return None
    found = [_scan(means.of(enough), chance / 2, least, first, allowed, sides)]
    for place in enough.tolist():
        alone = _scan(means.of(slice(place, place + 1)), chance / 2 * part(place), least, first, allowed, sides)
        found.append(None if alone is None else alone._replace(stratum=place))
    return find_first(found)


def steps_to_shift(means: Means, size: float, chance: float, most: int = LONGEST_SHIFT) -> int | None:
    """Within how many steps ``shifted`` finds a mean that leaves a straight line by ``size``: about the median."""
    there = (~np.isnan(means.mean)).any(axis=0)
    recent = means.mean[:, there][:, -LINE_STEPS:]
    weight = np.where(np.isnan(recent), 0.0, means.weight[:, there][:, -LINE_STEPS:])
    count, freedom, spread, place = recent.shape[1], 0, 0.0, np.arange(recent.shape[1])
    for values, groups in zip(recent, weight, strict=True):
        known = groups > 0
        if known.sum() >= SHORTEST:
            line = np.polynomial.Polynomial.fit(place[known], values[known], 1, w=np.sqrt(groups[known]))
            spread += float((groups[known] * (values[known] - line(place[known])) ** 2).sum())
            freedom += int(known.sum()) - 2
    if not freedom:
        return None
    variance = max(spread / freedom, float(means.least_variance.max()), 1e-12) / float(weight.sum(axis=0).mean())
    lags = np.arange(1, most + 1, dtype=np.float64)
    doubt = 1 / lags + 1 / count + ((count + lags) / 2) ** 2 * 12 / count**3
    with np.errstate(divide="ignore"):
        tail = np.log(2 * stdtr(freedom, -abs(size) / np.sqrt(variance * doubt)))
    steps = int(there.sum())
    level = np.array([float(log_chance(chance, steps + int(lag), int(lag), OVERLAP)) for lag in lags])
    found = np.flatnonzero(tail < level)
    return int(lags[found[0]]) if len(found) else None


class _Forecast(NamedTuple):
    """Of B comparisons how far the forecast was off, the logarithm of the chance of that, and how many standard
    errors it is."""

    gap: Floats
    log_p: Floats
    ratio: Floats


@dataclass(frozen=True, slots=True)
class _Past:
    """Sums over steps by stratum (shape S x 7 x (K + 1)), and what a group's mean varies by."""

    sums: Floats
    variance: Floats
    least_variance: Floats

    def between(self, start: Ints, end: Ints) -> Floats:
        """Shape S x 7 x B. ``start``: shape B or S x B."""
        if start.ndim == 1:
            return self.sums[..., end] - self.sums[..., start]
        rows = np.arange(len(self.sums))[:, None]
        first: Floats = np.moveaxis(self.sums[rows, :, start], 2, 1)
        return self.sums[..., end] - first


def _scan(means: Means, chance: float, least: float, first: int, breaks: Ints, sides: int) -> Crossing | None:
    """``shifted`` of all strata together."""
    there = ~np.isnan(means.mean)
    known = there.any(axis=0)
    places = np.flatnonzero(known)
    if not len(places):
        return None
    there, values, weight = there[:, known], means.mean[:, known], np.where(there, means.weight, 0.0)[:, known]
    centre = np.nansum(values, axis=1) / there.sum(axis=1)
    values = np.where(there, values - centre[:, None], 0.0)
    past = _Past(cumulate(_moments(places, values, weight, there)), means.variance, means.least_variance)
    allowed = np.maximum(np.searchsorted(places, breaks[known]), _returns(places, there))
    wide = np.ones(len(places) + 1)
    found = Crossings()
    for lag in [one for one in LAGS if one <= LONGEST_SHIFT]:
        ends = np.arange(lag + SHORTEST, len(places) + 1)
        if not len(ends):
            break
        split = ends - lag
        # no further back than that many steps of the run, whichever strata they were of
        oldest = np.searchsorted(places, places[split - 1] - LINE_STEPS + 1)
        from_line = np.maximum(np.maximum(split - LINE_STEPS, oldest), allowed[:, ends - 1])
        enough = (split - from_line.min(axis=0) >= SHORTEST) & (places[split] >= first)
        ends, split, from_line = ends[enough], split[enough], from_line[:, enough]
        after, line_sums = past.between(split, ends), past.between(from_line, split)
        level_sums = _later(past, split - LEVEL_STEPS, from_line, split, line_sums)
        near_sums = _later(past, split - NEAR_STEPS, from_line, split, line_sums)
        line = _by_line(past, line_sums, after, wide[split])
        if lag == 1 and len(there) > 1:
            wide = _excess(line.ratio, ends, len(places))
            line = _by_line(past, line_sums, after, wide[split])
        level = _by_level(past, level_sums, after, wide[split])
        near = _by_line(past, near_sums, after, wide[split])
        gap = np.where(np.abs(level.gap) < np.abs(line.gap), level.gap, line.gap)
        agree = (np.sign(level.gap) == np.sign(line.gap)) & (np.abs(gap) > least)
        agree &= (gap < 0) | (sides == 2)
        agree &= (np.sign(near.gap) == np.sign(gap)) & (near.ratio > NEAR_ERRORS)
        tail = np.maximum(level.log_p, line.log_p) + np.log(abs(sides))
        crosses = agree & (tail < log_chance(chance, places[ends - 1] + 1, lag, OVERLAP))
        crosses &= np.abs(gap) > BEND * _earlier(ends, gap, lag)
        weights = _weights(line_sums, after)
        now = _over(weights, after[:, VALUE], after[:, WEIGHT]) + weights.T @ centre
        found.add(places[ends - 1] + 1, places[ends - 1] + 1 - places[split], crosses, tail, now - gap, now)
    return found.crossing()


def _returns(places: Ints, there: Bools) -> Ints:
    """For each stratum and step the first step since it came back from a long absence; shape S x K."""
    order = np.arange(len(places))
    last = np.maximum.accumulate(np.where(there, order, -1), axis=1)
    before = np.concatenate([np.full((len(there), 1), -1), last[:, :-1]], axis=1)
    back = there & (before >= 0) & (places[None] - places[np.maximum(before, 0)] > AWAY)
    found: Ints = np.maximum.accumulate(np.where(back, order, 0), axis=1)
    return found


def _later(past: _Past, start: Ints, from_line: Ints, split: Ints, line: Floats) -> Floats:
    """The sums from a later step on; of a stratum that has too few steps since, those of its line."""
    sums = past.between(np.maximum(start, from_line), split)
    few = sums[:, COUNT] < SHORTEST
    chosen: Floats = np.where(few[:, None], line, sums)
    return chosen


def _excess(ratio: Floats, ends: Ints, steps: int) -> Floats:
    """By which factor the gaps of single steps varied more than independent strata would, over the steps before each:
    strata that share a step share its policy. At least 1."""
    square = np.zeros((2, steps))
    square[:, ends - 1] = np.stack([np.minimum(ratio, 100.0) ** 2, ratio > 0])
    sums = cumulate(square)
    at = np.arange(steps + 1)
    total, count = sums[:, at] - sums[:, np.maximum(at - LEVEL_STEPS, 0)]
    found: Floats = np.where(count >= SHORTEST, np.maximum(total / np.maximum(count, 1.0), 1.0), 1.0)
    return found


def _earlier(ends: Ints, gap: Floats, lag: int) -> Floats:
    """How far the forecast that ended ``lag`` steps before was off to the same side; 0 where none did."""
    known = np.zeros(int(ends.max()) + 1 if len(ends) else 0)
    known[ends] = gap
    before = known[ends - lag]
    same: Floats = np.where(np.sign(before) == np.sign(gap), np.abs(before), 0.0)
    return same


def _by_level(past: _Past, sums: Floats, after: Floats, wide: Floats) -> _Forecast:
    weight = sums[:, WEIGHT]
    mean = _ratio(sums[:, VALUE], weight)
    spread = np.maximum(sums[:, VALUE_SQUARE] - weight * mean**2, 0.0)
    return _tested(past, sums, after, mean, _ratio(np.ones_like(weight), weight), spread, 1, wide)


def _by_line(past: _Past, sums: Floats, after: Floats, wide: Floats) -> _Forecast:
    weight = sums[:, WEIGHT]
    centre, mean = _ratio(sums[:, STEP], weight), _ratio(sums[:, VALUE], weight)
    width = np.maximum(sums[:, SQUARE] - weight * centre**2, 1e-12)
    slope = (sums[:, CROSS] - weight * centre * mean) / width
    spread = np.maximum(sums[:, VALUE_SQUARE] - weight * mean**2 - slope**2 * width, 0.0)
    ahead = _ratio(after[:, STEP], after[:, WEIGHT]) - centre
    doubt = _ratio(np.ones_like(weight), weight) + ahead**2 / width
    return _tested(past, sums, after, mean + slope * ahead, doubt, spread, 2, wide)


def _tested(
    past: _Past,
    sums: Floats,
    after: Floats,
    forecast: Floats,
    doubt: Floats,
    spread: Floats,
    fitted: int,
    wide: Floats,
) -> _Forecast:
    """``doubt``: the variance of the forecast in those of a group's mean; ``fitted``: numbers that were."""
    usual = np.maximum(past.variance, np.maximum(past.least_variance, 1e-12))[:, None]
    known = sums[:, COUNT] >= SHORTEST
    freedom = (np.maximum(sums[:, COUNT] - fitted, 1.0) * known).sum(axis=0)
    # how much more the steps vary than their groups tell: one factor for all strata
    factor = np.divide((spread / usual * known).sum(axis=0), freedom, out=np.ones_like(freedom), where=freedom > 0)
    variance = np.maximum(usual * factor, np.maximum(past.least_variance, 1e-12)[:, None])
    weights = _weights(sums, after)
    each = _ratio(after[:, VALUE], after[:, WEIGHT]) - forecast
    gap: Floats = (weights * each).sum(axis=0)
    own = variance * (doubt + _ratio(np.ones_like(doubt), after[:, WEIGHT]))
    error = np.sqrt((weights**2 * own).sum(axis=0) * wide)
    ratio = np.divide(np.abs(gap), error, out=np.zeros_like(gap), where=error > 0)
    with np.errstate(divide="ignore"):
        return _Forecast(gap, np.log(stdtr(np.maximum(freedom, 1.0), -ratio)), ratio)


def _weights(sums: Floats, after: Floats) -> Floats:
    """Shares of the latest groups, of strata that are not new; shape S x B."""
    groups = after[:, WEIGHT] * (sums[:, COUNT] >= SHORTEST)
    return _ratio(groups, groups.sum(axis=0)[None])


def _over(weights: Floats, sums: Floats, of: Floats) -> Floats:
    mean: Floats = (weights * _ratio(sums, of)).sum(axis=0)
    return mean


def _ratio(above: Floats, below: Floats) -> Floats:
    """0 where there is nothing below."""
    found: Floats = np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)
    return found


def _moments(places: Ints, values: Floats, weight: Floats, there: Bools) -> Floats:
    """Shape S x 7 x K."""
    step = np.broadcast_to(places.astype(np.float64), values.shape)
    rows = (weight, weight * step, weight * step**2, weight * values, weight * values**2, there * 1.0)
    made: Floats = np.stack([*rows, weight * step * values], axis=1)
    return made
