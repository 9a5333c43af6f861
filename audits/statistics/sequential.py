"""Tests that may be looked at after every step: has a rate risen, is it above a limit?

At the end of each step the latest 1, 2, 3, 4, 6, 8, ... steps are held against all steps before them (or against a
limit). That is a generalised likelihood ratio test for a change at an unknown moment, scanned over geometric window
lengths (Lai 1995; Siegmund and Venkatraman 1995), but each comparison is an exact one:

* ``risen``: Fisher's exact test. It needs no known rate before the change, and no large counts.
* ``above``: the binomial tail at the limit.

Means are in ``trends``.

**Strata.** Data sources have rates of their own, and a data loader may deal them by whole batches. So counts come by
stratum, and ``risen`` compares the latest records with as many earlier ones as have the same mix. A stratum that has
few earlier records is left out: it is new. Half of the chance of a false alarm is for all strata together, half for
each by itself, where a fault of one source shows.

The chance of a false alarm is spent over steps as ``TAU / ((t + TAU) (t + TAU + 1))``, which sums to 1 over a run of
any length (alpha spending; Lan and DeMets 1983), and in equal parts over the window lengths. Comparisons of windows
that share most of their records mostly agree, so the sum over all of them is far above the chance that any crosses:
``OVERLAP`` and the one below make up for a part of that. What is left is measured by simulation
(``tests/audits/statistics/test_sequential.py``, ``benchmarks/watch.py``).

Answers to one prompt are alike, so counts are divided by their design effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from audits.statistics.arrays import Bools, Floats, Ints

LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Steps of the windows that are compared with what was before them."""
TAU = 100
"""Steps within which half of the chance of a false alarm is spent."""
OVERLAP = 6.0
"""By how much the sum of the levels of all comparisons may exceed the stated chance of a false alarm."""
OVERLAP_OF_LIMITS = 4.0
"""The same of ``above``."""
ENOUGH_HITS = 20
"""Hits before a window from which on their design effect is known without the window's own."""
LEAST_BEFORE = 20
"""Trials that a stratum must have had before a window, where there are several: below them it is new."""


class Crossing(NamedTuple):
    """Steps are counted from 0. ``found``: at the end of which step the test crossed first; ``last``: the latest at
    whose end it does; ``since``: from which step on the rate is another, as the test of ``last`` dates it; ``stratum``:
    the one that shows it by itself, None where they do together."""

    found: int
    last: int
    since: int
    before: float
    after: float
    stratum: int | None = None


@dataclass(frozen=True, slots=True)
class StratumCounts:
    """Of S strata and T steps: hits, trials, and over the step's groups the sums of hits squared, hits times trials,
    trials squared, which the design effect needs. Shape S x 5 x T."""

    rows: Floats

    @property
    def steps(self) -> int:
        return int(self.rows.shape[2])

    def totals(self) -> Floats:
        """By stratum: shape S x 5."""
        sums: Floats = self.rows.sum(axis=2)
        return sums


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
    """How many records are worth one, at least 1, from sums as of :class:`StratumCounts` (shape 5 x B each).

    That of everything together; where few hits came before, at least that of the window itself, for a single prompt
    whose answers all fail is one event. Where all fail, a group counts as one. A standard error is added, for few
    groups do not show that they are alike.
    """
    whole = _effect(before + after)
    own = np.where(before[0] < ENOUGH_HITS, _effect(after), 1.0)
    worst: Floats = np.maximum(np.maximum(whole, own), 1.0)
    return worst


def detect_rise(
    counts: StratumCounts,
    chance: float,
    *,
    first: int = 0,
    prior: Floats | None = None,
    rise: float = 0.0,
    most: float = np.inf,
    least: float = 0.0,
) -> Crossing | None:
    """Whether the rate has risen by more than ``rise`` at any step, in all strata together or in one; None where it
    has not.

    ``first``: the first step that a window may hold. ``prior``: totals by stratum of records before all steps.
    ``most``: trials of a window; a single step may have more. ``least``: trials that must lie before a window.
    """
    earlier = np.zeros(counts.rows.shape[:2]) if prior is None else prior
    strata = len(counts.rows)

    if strata == 1:
        return _scan(counts.rows, earlier, chance, first, rise, most, least)
    found = [_scan(counts.rows, earlier, chance / 2, first, rise, most, least)]
    for place in np.flatnonzero(counts.rows[:, 0].sum(axis=1) > 0).tolist():
        one = slice(place, place + 1)
        own, known = chance / 2 * part(place), max(least, LEAST_BEFORE)
        alone = _scan(counts.rows[one], earlier[one], own, first, rise, most, known)
        found.append(None if alone is None else alone._replace(stratum=place))
    return find_first(found)


def part(order: int) -> float:
    """Of a chance the part that the series of that order has, the first being 0: a sixth each of the first four, and
    of those behind them less and less, so that all have 1 however many there will be."""
    later = order - 3
    return 1 / 6 if later < 1 else 1 / 3 / (later * (later + 1))


def find_first(found: Sequence[Crossing | None]) -> Crossing | None:
    """The one that was found first; where a single stratum shows it by itself, that one, as soon as any did."""
    crossed = [one for one in found if one is not None]
    if not crossed:
        return None
    first = min(crossed, key=lambda one: one.found)
    alone = [one for one in crossed if one.stratum is not None]
    if len(alone) != 1:
        return first
    return alone[0]._replace(found=first.found, since=min(alone[0].since, first.found))


def _scan(
    rows: Floats, earlier: Floats, chance: float, first: int, rise: float, most: float, least: float
) -> Crossing | None:
    """``risen`` of all strata together."""
    sums = cumulate(rows)
    found = Crossings()
    for lag in LAGS:
        ends = np.arange(first + lag, rows.shape[2] + 1)
        if not len(ends):
            break
        before, after = _matched(sums[..., ends - lag] + earlier[..., None], sums[..., ends] - sums[..., ends - lag])
        worth = design_effects(before, after)
        tail = log_fisher(after[0] / worth, after[1] / worth, before[0] / worth, before[1] / worth)
        rates = _share(before), _share(after)
        crosses = (tail < log_chance(chance, ends, lag)) & (rates[1] - rates[0] > rise) & (before[1] >= least)
        crosses &= (after[1] <= most) | (lag == 1)
        found.add(ends, lag, crosses, tail, *rates)
    crossing = found.crossing()
    return None if crossing is None else _dated(crossing, sums, earlier, first)


def _matched(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Of S strata (shape S x 5 x B each) the totals: of the latest records in strata that are not new, and of as many
    earlier ones as there are with the same mix."""
    if len(before) == 1:
        return before[0], after[0]
    known = after * (before[:, 1] >= LEAST_BEFORE)[:, None]
    now: Floats = known.sum(axis=0)
    share = np.divide(known[:, 1], now[1], out=np.zeros_like(known[:, 1]), where=now[1] > 0)
    there = share > 0
    most = np.divide(before[:, 1], share, out=np.full_like(share, np.inf), where=there).min(axis=0)
    size = np.where(np.isfinite(most), most, 0.0)
    kept = np.divide(share * size, before[:, 1], out=np.zeros_like(share), where=there)
    return (before * kept[:, None]).sum(axis=0), now


def detect_above(counts: StratumCounts, chance: float, limit: float, *, most: float = np.inf) -> Crossing | None:
    """Whether the rate was above ``limit`` at any step, in the latest steps or in all of them."""
    sums = cumulate(counts.rows.sum(axis=0))
    found = Crossings()
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


def steps_to_rise(
    before: Floats, per_step: float, rate: float, chance: float, *, at: int, limit: float | None = None, most: int = 256
) -> int | None:
    """Within how many steps ``risen`` finds a rise to ``rate``, or ``above`` one over ``limit``, if the hits are those
    that are expected: about the median. None: not within ``most``.

    ``before``: totals as of :class:`StratumCounts` of all strata together (shape 5) of what was before; ``per_step``:
    trials a step; ``at``: steps so far.
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


def _dated(crossing: Crossing, sums: Floats, earlier: Floats, first: int) -> Crossing:
    """Since the step that tells the two parts apart best, now that they are known to differ."""
    end = crossing.last + 1
    starts = np.arange(first, end)
    before, after = _matched(sums[..., starts] + earlier[..., None], sums[..., [end]] - sums[..., starts])
    best = int(np.argmin(log_fisher(after[0], after[1], before[0], before[1])))
    rates = float(_share(before)[best]), float(_share(after)[best])
    return Crossing(crossing.found, crossing.last, min(int(starts[best]), crossing.found), *rates)


class Crossings:
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


def cumulate(rows: Floats) -> Floats:
    """Up to each step, with a zero ahead."""
    sums: Floats = np.concatenate([np.zeros((*rows.shape[:-1], 1)), np.cumsum(rows, axis=-1)], axis=-1)
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
