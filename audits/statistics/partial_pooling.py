"""Rates of many slices at once, each drawn towards what the slices have in common (partial pooling).

Model: slice ``s`` has a rate from Beta(``m k``, ``(1 - m) k``), and its errors are binomial. ``m`` is the slices' mean
rate and ``k`` says how alike they are. Neither is known: both are summed over on a grid, weighted by how likely they
make all counts (a full Bayesian beta-binomial; Gelman and others, Bayesian Data Analysis, third edition, section 5.3).
Priors: Jeffreys' for ``m``, and the shrinkage prior 1/(3 + k)² for ``k``.

A slice with few labels comes out near the slices' mean, with a wide interval; one with many keeps its own rate; and one
without any gets what a further slice is likely to have. Where slices are alike all borrow from one another. Counts may
be fractions: what clustered or weighted labels are worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, log_expit

from audits.statistics.arrays import Floats, in_open_unit, same_length
from audits.statistics.proportion import LEVEL, Interval, quantile, wilson

_MEANS = 50
_LIKENESSES = 24
_ALIKE = 3.0
"""The prior takes it for as likely as not that what slices share is worth three labels."""
_NEGLIGIBLE = 1e-5
"""Pairs of mean and likeness that are less likely than this, against the likeliest one, are left out."""
_FEWEST = 1e-9
_LOGITS = np.linspace(-14.0, 14.0, 801)
_RATES, _LOG_RATE, _LOG_REST = expit(_LOGITS), log_expit(_LOGITS), log_expit(-_LOGITS)


class Pooled(NamedTuple):
    """A rate as its posterior has it: mean, standard deviation and central interval at the level."""

    rate: float
    error: float
    interval: Interval


class PartlyPooled(NamedTuple):
    """``slices`` in the order given; ``elsewhere`` is the rate of a further slice, of which nothing is known."""

    slices: list[Pooled]
    elsewhere: Pooled


def pool_partly(errors: ArrayLike, trials: ArrayLike, level: float = LEVEL) -> PartlyPooled:
    """Errors of S slices, each of so many trials; S may be 0. Raises ValueError unless 0 <= errors <= trials."""
    in_open_unit("level", level)
    wrong, size = np.asarray(errors, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    same_length(errors=wrong, trials=size)
    if not (np.isfinite(size).all() and (wrong >= 0).all() and (wrong <= size).all()):
        raise ValueError("needs 0 <= errors <= trials, both finite, for each slice")
    one, other, prior = _grid()
    # S x G: how likely each pair of (m, k) makes a slice's count, but for the binomial coefficient
    likely = betaln(one + wrong[:, None], other + (size - wrong)[:, None]) - betaln(one, other)
    logs = prior + likely.sum(axis=0)
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    kept = weight > _NEGLIGIBLE * weight.max()
    mixture = _Mixture(one[kept], other[kept], weight[kept] / weight[kept].sum(), level)
    known: dict[tuple[float, float], Pooled] = {}
    counts = list(zip(wrong.tolist(), size.tolist(), strict=True))
    for count in counts:
        if count not in known:
            known[count] = mixture.after(*count)
    return PartlyPooled([known[count] for count in counts], mixture.after(0.0, 0.0))


def worth(rate: float, interval: Interval, level: float = LEVEL) -> float:
    """How many independent items an interval of a rate is worth: that many give Wilson's interval its width.

    0 for an interval of [0, 1], or where nothing but its width is known to be 0 by accident.
    """
    width = min(max(interval.width, 0.0), 1.0)
    if width >= 1:
        return 0.0
    low, high = 0.0, quantile(level) ** 2
    while wilson(rate * high, high, level).width > width and high < 1e9:
        low, high = high, high * 4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if wilson(rate * middle, middle, level).width > width else (low, middle)
    return high


def _grid() -> tuple[Floats, Floats, Floats]:
    """Both parameters of Beta and the log of their prior, for each pair of a mean rate and a likeness."""
    means = expit(np.linspace(-8.0, 8.0, _MEANS))
    alike = np.exp(np.linspace(np.log(0.3), np.log(3e4), _LIKENESSES))
    m, k = (axis.reshape(-1) for axis in np.meshgrid(means, alike, indexing="ij"))
    # Jeffreys' prior of m on the logit grid is sqrt(m (1 - m)); that of k on the log grid is k / (3 + k)²
    return m * k, (1 - m) * k, 0.5 * np.log(m * (1 - m)) + np.log(k) - 2 * np.log(_ALIKE + k)


@dataclass(frozen=True, slots=True)
class _Mixture:
    """What is known of a slice's rate before its own labels: Beta(one, other), each with its weight."""

    one: Floats
    other: Floats
    weight: Floats
    level: float

    def after(self, errors: float, trials: float) -> Pooled:
        """What is known after them; the weights have seen them already."""
        one, other = self.one + errors, self.other + trials - errors
        mean, size, scale = one / (one + other), one + other, betaln(one, other)
        rate = float(self.weight @ mean)
        square = float(self.weight @ (mean * (one + 1) / (size + 1)))
        # on the logit scale the volume element makes the density x^one (1 - x)^other
        density = np.exp(one[:, None] * _LOG_RATE + other[:, None] * _LOG_REST - scale[:, None])
        share = self.weight @ density * (_LOGITS[1] - _LOGITS[0])
        # what lies beyond the grid is at its ends
        share[0] += self.weight @ np.exp(one * _LOG_RATE[0] - np.log(one) - scale)
        share[-1] += self.weight @ np.exp(other * _LOG_REST[-1] - np.log(other) - scale)
        share /= share.sum()
        spread = float(np.sqrt(max(square - rate * rate, 0.0)))
        tail = (1 - self.level) / 2
        # a cell's mass lies around its rate
        low, high = np.interp([tail, 1 - tail], np.cumsum(share) - share / 2, _RATES)
        # without an error, or with nothing else, a rate of exactly 0 or 1 is not excluded
        none, all_ = errors < _FEWEST, trials - errors < _FEWEST
        return Pooled(rate, spread, Interval(0.0 if none else float(low), 1.0 if all_ and trials > 0 else float(high)))
