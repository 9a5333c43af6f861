"""Tests that may be looked at after every step: has a rate risen, is it above a limit, has a mean left its trend?

At the end of each step the latest 1, 2, 3, 4, 6, 8, ... steps are held against all steps before them (or against a
limit, or a forecast). That is a generalised likelihood ratio test for a change at an unknown moment, scanned over
geometric window lengths (Lai 1995; Siegmund and Venkatraman 1995), but each comparison is an exact one:

* ``risen``: Fisher's exact test. It needs no known rate before the change, and no large counts.
* ``above``: the binomial tail at the limit.
* ``shifted``: a predictive t test of the mean of the latest steps against two forecasts, a constant and a straight
  line, both of which it must miss on the same side, and by more than the forecasts shortly before did. A line through
  fewer steps must be off, too. So a curve
  that rises, falls, bends or levels off is no shift.

The chance of a false alarm is spent over steps as ``TAU / ((t + TAU) (t + TAU + 1))``, which sums to 1 over a run of
any length (alpha spending; Lan and DeMets 1983), and in equal parts over the window lengths. Comparisons of windows
that share most of their records mostly agree, so the sum over all of them is far above the chance that any crosses:
``OVERLAP`` and the two below make up for a part of that. What is left is measured by simulation
(``tests/audits/statistics/test_sequential.py``, ``benchmarks/watch.py``).

Answers to one prompt are alike, so counts are divided by their design effect. Not covered: steps that resemble their
neighbours for other reasons than a trend, such as data in the order of their difficulty; and a mean that takes off
within some 40 steps, which is found as a jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, stdtr

from audits.statistics.arrays import Bools, Floats, Ints

LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Steps of the windows that are compared with what was before them."""
TAU = 100
"""Steps within which half of the chance of a false alarm is spent."""
OVERLAP = 6.0
"""By how much the sum of the levels of all comparisons may exceed the stated chance of a false alarm."""
OVERLAP_OF_LIMITS = 4.0
"""The same of ``above``."""
OVERLAP_OF_MEANS = 12.0
"""The same of ``shifted``, whose comparisons must be significant twice."""
ENOUGH_HITS = 20
"""Hits before a window from which on their design effect is known without the window's own."""
SHORTEST = 12
"""Steps that a forecast needs."""
LEVEL_STEPS, LINE_STEPS = 48, 96
"""Steps that the forecasts are made from at most."""
NEAR_STEPS, NEAR_ERRORS = 32, 3.0
"""Steps of a second line, and by how many standard errors at least it must be missed, too."""
LONGEST_SHIFT = 12
BEND = 2.0
"""By how much a forecast must be further off than that of as many steps before: what it always misses is a curve."""


class Crossing(NamedTuple):
    """Steps are counted from 0. ``found``: at the end of which step the test crossed first; ``last``: the latest at
    whose end it does; ``since``: from which step on the rate is another, as the test of ``last`` dates it."""

    found: int
    last: int
    since: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Of T steps: hits, trials, and over the step's groups the sums of hits squared, hits times trials, trials
    squared, which the design effect needs. Shape 5 x T."""

    rows: Floats

    @property
    def steps(self) -> int:
        return int(self.rows.shape[1])

    def totals(self) -> Floats:
        """Shape 5."""
        sums: Floats = self.rows.sum(axis=1)
        return sums


@dataclass(frozen=True, slots=True)
class Means:
    """Of T steps: the mean (NaN: none), how many groups it is of, and the variance of a group's mean that independent
    records would have, which is the least that is believed."""

    mean: Floats
    weight: Floats
    least_variance: float


def log_chance(chance: float, steps: Ints | int, lag: int, overlap: float = OVERLAP) -> Floats:
    """The logarithm of the level of the test of ``lag`` steps after ``steps`` of them."""
    spent = TAU / ((steps + TAU) * (np.asarray(steps, dtype=np.float64) + TAU + 1))
    level: Floats = np.log(overlap * chance * spent * max(lag / 4, 1.0) / len(LAGS))
    return level


def log_fisher(hits: Floats, trials: Floats, hits_before: Floats, trials_before: Floats) -> Floats:
    """The logarithm of an upper bound on Fisher's one-sided p-value that the later rate is not the higher one.

    Its hypergeometric tail falls faster than the geometric series that begins with its first two terms. Counts may be
    fractions. 0 where nothing is compared.
    """
    total, all_trials = hits + hits_before, trials + trials_before
    with np.errstate(divide="ignore", invalid="ignore"):
        first = _choose(trials, hits) + _choose(trials_before, hits_before) - _choose(all_trials, total)
        ratio = (trials - hits) * hits_before / ((hits + 1) * (trials_before - hits_before + 1))
        tail = np.where(ratio < 1, first - np.log1p(-np.minimum(ratio, 1.0)), 0.0)
    some = (trials > 0) & (trials_before > 0) & (hits > 0)
    bound: Floats = np.where(some, np.minimum(np.nan_to_num(tail, nan=0.0, posinf=0.0), 0.0), 0.0)
    return bound


def log_binomial(hits: Floats, trials: Floats, rate: float) -> Floats:
    """The logarithm of an upper bound on the chance of so many hits or more at ``rate``; 0 where it is no less."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = _choose(trials, hits) + hits * np.log(rate) + (trials - hits) * np.log1p(-rate)
        ratio = (trials - hits) / (hits + 1) * rate / (1 - rate)
        tail = np.where(ratio < 1, first - np.log1p(-np.minimum(ratio, 1.0)), 0.0)
    bound: Floats = np.where(hits > 0, np.minimum(np.nan_to_num(tail, nan=0.0, posinf=0.0), 0.0), 0.0)
    return bound


def design_effects(before: Floats, after: Floats) -> Floats:
    """How many records are worth one, at least 1, from sums as of :class:`Counts` (shape 5 x B each).

    That of everything together; where few hits came before, at least that of the window itself, for a single prompt
    whose answers all fail is one event. Where all fail, a group counts as one. A standard error is added, for few
    groups do not show that they are alike.
    """
    whole = _effect(before + after)
    own = np.where(before[0] < ENOUGH_HITS, _effect(after), 1.0)
    worst: Floats = np.maximum(np.maximum(whole, own), 1.0)
    return worst


def risen(
    counts: Counts,
    chance: float,
    *,
    first: int = 0,
    prior: Floats | None = None,
    rise: float = 0.0,
    most: float = np.inf,
    least: float = 0.0,
) -> Crossing | None:
    """Whether the rate has risen by more than ``rise`` at any step; None where it has not.

    ``first``: the first step that a window may hold. ``prior``: totals of records that came before all steps. ``most``:
    trials of a window; a single step may have more. ``least``: trials that must lie before a window.
    """
    sums = _sums(counts.rows)
    earlier = np.zeros(5) if prior is None else prior
    found = _Found()
    for lag in LAGS:
        ends = np.arange(first + lag, counts.steps + 1)
        if not len(ends):
            break
        after, before = sums[:, ends] - sums[:, ends - lag], sums[:, ends - lag] + earlier[:, None]
        worth = design_effects(before, after)
        tail = log_fisher(after[0] / worth, after[1] / worth, before[0] / worth, before[1] / worth)
        rates = _share(before), _share(after)
        crosses = (tail < log_chance(chance, ends, lag)) & (rates[1] - rates[0] > rise) & (before[1] >= least)
        crosses &= (after[1] <= most) | (lag == 1)
        found.add(ends, lag, crosses, tail, *rates)
    crossing = found.crossing()
    return None if crossing is None else _dated(crossing, sums, earlier, first)


def above(counts: Counts, chance: float, limit: float, *, most: float = np.inf) -> Crossing | None:
    """Whether the rate was above ``limit`` at any step, in the latest steps or in all of them."""
    sums = _sums(counts.rows)
    found = _Found()
    for lag in (*LAGS, None):
        ends = np.arange(lag or 1, counts.steps + 1)
        if not len(ends):
            continue
        starts = ends - lag if lag is not None else np.zeros_like(ends)
        after = sums[:, ends] - sums[:, starts]
        worth = design_effects(sums[:, starts], after)
        tail = log_binomial(after[0] / worth, after[1] / worth, limit)
        crosses = tail < log_chance(chance, ends, lag or 1, OVERLAP_OF_LIMITS)
        crosses &= (after[1] <= most) | (lag == 1)
        found.add(ends, ends - starts, crosses, tail, np.full(len(ends), limit), _share(after))
    return found.crossing()


def shifted(
    means: Means, chance: float, least: float, *, first: int = 0, breaks: Ints | None = None, sides: int = 2
) -> Crossing | None:
    """Whether the mean left its trend by more than ``least`` at any step.

    ``breaks``: for each step the first one that it may be compared with (steps in between were not read). ``sides``:
    2 for both, -1 for a fall alone.
    """
    known = ~np.isnan(means.mean)
    places = np.flatnonzero(known)
    values, weight = means.mean[known], means.weight[known]
    allowed = np.zeros(len(values), np.int64) if breaks is None else np.searchsorted(places, breaks[known])
    sums = _sums(_moments(places.astype(np.float64), values - values.mean() if len(values) else values, weight))
    found = _Found()
    for lag in [one for one in LAGS if one <= LONGEST_SHIFT]:
        ends = np.arange(lag + SHORTEST, len(values) + 1)
        if not len(ends):
            break
        split = ends - lag
        from_level, from_line = (np.maximum(split - steps, allowed[ends - 1]) for steps in (LEVEL_STEPS, LINE_STEPS))
        enough = (split - from_line >= SHORTEST) & (places[split] >= first)
        ends, split, from_level, from_line = (one[enough] for one in (ends, split, from_level, from_line))
        after = sums[:, ends] - sums[:, split]
        level = _by_level(sums[:, split] - sums[:, from_level], after, means.least_variance)
        line = _by_line(sums[:, split] - sums[:, from_line], after, means.least_variance)
        near = _by_line(
            sums[:, split] - sums[:, np.maximum(split - NEAR_STEPS, from_line)], after, means.least_variance
        )
        gap = np.where(np.abs(level.gap) < np.abs(line.gap), level.gap, line.gap)
        agree = (np.sign(level.gap) == np.sign(line.gap)) & (np.abs(gap) > least)
        agree &= (gap < 0) | (sides == 2)
        agree &= (np.sign(near.gap) == np.sign(gap)) & (near.ratio > NEAR_ERRORS)
        tail = np.maximum(level.log_p, line.log_p) + np.log(abs(sides))
        crosses = agree & (tail < log_chance(chance, places[ends - 1] + 1, lag, OVERLAP_OF_MEANS))
        crosses &= np.abs(gap) > BEND * _earlier(ends, gap, lag)
        now = after[3] / after[0] + values.mean()
        found.add(places[ends - 1] + 1, places[ends - 1] + 1 - places[split], crosses, tail, now - gap, now)
    return found.crossing()


def steps_to_rise(
    before: Floats, per_step: float, rate: float, chance: float, *, at: int, limit: float | None = None, most: int = 256
) -> int | None:
    """Within how many steps ``risen`` finds a rise to ``rate``, or ``above`` one over ``limit``, if the hits are those
    that are expected: about the median. None: not within ``most``.

    ``before``: totals as of :class:`Counts` of what was before; ``per_step``: trials a step; ``at``: steps so far.
    """
    lags: Ints = np.arange(1, most + 1)
    trials: Floats = per_step * lags.astype(np.float64)
    effect = float(np.maximum(_effect(before[:, None]), 1.0)[0]) if before[0] >= ENOUGH_HITS else 1.0
    tried: Floats = trials / effect
    hits: Floats = rate * tried
    if limit is None:
        tail = log_fisher(hits, tried, np.full(most, before[0] / effect), np.full(most, before[1] / effect))
    else:
        tail = log_binomial(hits, tried, limit)
    overlap = OVERLAP if limit is None else OVERLAP_OF_LIMITS
    level = np.array([float(log_chance(chance, at + lag, min(lag, LAGS[-1]), overlap)) for lag in lags.tolist()])
    found = np.flatnonzero((tail < level) & (hits >= 1))
    return int(lags[found[0]]) if len(found) else None


def steps_to_shift(means: Means, size: float, chance: float, most: int = LONGEST_SHIFT) -> int | None:
    """Within how many steps ``shifted`` finds a mean that leaves a straight line by ``size``: about the median."""
    known = ~np.isnan(means.mean)
    values, weight = means.mean[known][-LINE_STEPS:], means.weight[known][-LINE_STEPS:]
    count = len(values)
    if count < SHORTEST:
        return None
    line = np.polynomial.Polynomial.fit(np.arange(count), values, 1, w=np.sqrt(weight))
    spread = float((weight * (values - line(np.arange(count))) ** 2).sum())
    variance = max(spread / (count - 2), means.least_variance, 1e-12) / float(weight.mean())
    lags = np.arange(1, most + 1, dtype=np.float64)
    doubt = 1 / lags + 1 / count + ((count + lags) / 2) ** 2 * 12 / count**3
    with np.errstate(divide="ignore"):
        tail = np.log(2 * stdtr(count - 2, -abs(size) / np.sqrt(variance * doubt)))
    steps = int(known.sum())
    level = np.array([float(log_chance(chance, steps + int(lag), int(lag), OVERLAP_OF_MEANS)) for lag in lags])
    found = np.flatnonzero(tail < level)
    return int(lags[found[0]]) if len(found) else None


def _earlier(ends: Ints, gap: Floats, lag: int) -> Floats:
    """How far the forecast that ended ``lag`` steps before was off to the same side; 0 where none did."""
    known = np.zeros(int(ends.max()) + 1 if len(ends) else 0)
    known[ends] = gap
    before = known[ends - lag]
    same: Floats = np.where(np.sign(before) == np.sign(gap), np.abs(before), 0.0)
    return same


def _dated(crossing: Crossing, sums: Floats, earlier: Floats, first: int) -> Crossing:
    """Since the step that tells the two parts apart best, now that they are known to differ."""
    end = crossing.last + 1
    starts = np.arange(first, end)
    after, before = sums[:, [end]] - sums[:, starts], sums[:, starts] + earlier[:, None]
    best = int(np.argmin(log_fisher(after[0], after[1], before[0], before[1])))
    rates = float(_share(before)[best]), float(_share(after)[best])
    return Crossing(crossing.found, crossing.last, min(int(starts[best]), crossing.found), *rates)


class _Forecast(NamedTuple):
    gap: Floats
    log_p: Floats
    ratio: Floats


class _Found:
    """The comparisons that crossed, of all lengths."""

    def __init__(self) -> None:
        self._rows: list[Floats] = []

    def add(self, ends: Ints, lags: Ints | int, crosses: Bools, tail: Floats, before: Floats, after: Floats) -> None:
        rows = np.stack(np.broadcast_arrays(ends, np.asarray(lags), tail, before, after), axis=1).astype(np.float64)
        self._rows.append(rows[crosses])

    def crossing(self) -> Crossing | None:
        rows = np.concatenate(self._rows) if self._rows else np.empty((0, 5))
        if not len(rows):
            return None
        found, last = int(rows[:, 0].min()), int(rows[:, 0].max())
        latest = rows[rows[:, 0] == last]
        best = latest[np.argmin(latest[:, 2])]
        return Crossing(found - 1, last - 1, last - int(best[1]), float(best[3]), float(best[4]))


def _by_level(past: Floats, after: Floats, least_variance: float) -> _Forecast:
    size, weight = past[5], past[0]
    mean = past[3] / weight
    spread = np.maximum(past[4] - weight * mean**2, 0.0)
    return _tested(after, mean, 1 / weight, spread, size - 1, least_variance)


def _by_line(past: Floats, after: Floats, least_variance: float) -> _Forecast:
    size, weight = past[5], past[0]
    centre, mean = past[1] / weight, past[3] / weight
    width = np.maximum(past[2] - weight * centre**2, 1e-12)
    slope = (past[6] - weight * centre * mean) / width
    spread = np.maximum(past[4] - weight * mean**2 - slope**2 * width, 0.0)
    ahead = after[1] / after[0] - centre
    return _tested(after, mean + slope * ahead, 1 / weight + ahead**2 / width, spread, size - 2, least_variance)


def _tested(
    after: Floats, forecast: Floats, doubt: Floats, spread: Floats, freedom: Floats, least_variance: float
) -> _Forecast:
    """``doubt``: the variance of the forecast in those of a group's mean."""
    gap = after[3] / after[0] - forecast
    variance = np.maximum(spread / np.maximum(freedom, 1.0), max(least_variance, 1e-12))
    ratio = np.abs(gap) / np.sqrt(variance * (doubt + 1 / after[0]))
    with np.errstate(divide="ignore"):
        return _Forecast(gap, np.log(stdtr(np.maximum(freedom, 1.0), -ratio)), ratio)


def _moments(steps: Floats, values: Floats, weight: Floats) -> Floats:
    """What least squares needs: shape 7 x T."""
    rows = (weight, weight * steps, weight * steps**2, weight * values, weight * values**2)
    made: Floats = np.stack([*rows, np.ones_like(steps), weight * steps * values])
    return made


def _sums(rows: Floats) -> Floats:
    """Up to each step, with a zero ahead."""
    sums: Floats = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    return sums


def _share(sums: Floats) -> Floats:
    share: Floats = np.divide(sums[0], sums[1], out=np.zeros_like(sums[0]), where=sums[1] > 0)
    return share


def _effect(sums: Floats) -> Floats:
    _, trials, square, cross, sizes = sums
    rate = _share(sums)
    spread = square - 2 * rate * cross + rate**2 * sizes
    plain = trials * rate * (1 - rate)
    mean_size = np.divide(sizes, trials, out=np.ones_like(sizes), where=trials > 0)
    effect = np.divide(spread, plain, out=np.where(rate >= 1, mean_size, 1.0), where=plain > 1e-12)
    groups = np.maximum(np.divide(trials, mean_size), 1.0)
    error = np.sqrt(2 / groups) * np.minimum(rate * mean_size, 1.0)
    # no more than if the answers of a group were all the same
    found: Floats = np.minimum(effect + error, np.maximum(mean_size, 1.0))
    return found


def _choose(trials: Floats, hits: Floats) -> Floats:
    """The logarithm of a binomial coefficient; of fractions too."""
    some = np.clip(hits, 0.0, trials)
    found: Floats = gammaln(trials + 1) - gammaln(some + 1) - gammaln(trials - some + 1)
    return found
