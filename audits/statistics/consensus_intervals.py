"""Intervals for error rates that were estimated without gold: profile likelihood of the two-class model.

An end is where the log-likelihood, with every other rate and the share of right items fitted anew, is below its
maximum by half a chi-squared quantile (Wilks 1938). So it knows that the truth was estimated, which Wilson's interval
at the expected numbers of right and wrong items does not; the wider of the two is given, since Wilks's is too short
near a rate of 0. Both hold for independent items and voters that err independently given the truth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import chi2

from audits.statistics.arrays import Floats, Ints
from audits.statistics.proportion import LEVEL, Interval, wilson

_FARTHEST = 14.0
"""Logits beyond it are rates of 0 and 1."""
_STEP, _CLOSE = 0.25, 0.01
"""Logits: the first step outwards, and how near an end is found."""


class VoterEnds(NamedTuple):
    """Of one voter's two rates."""

    false_positive: Interval
    false_negative: Interval


class Model:
    """The penalised log-likelihood of P patterns of votes (P x V, -1 where missing) of which there are ``counts``.

    Parameters are logits: of the share of right items, then of V false-positive and V false-negative rates.
    """

    def __init__(self, patterns: Ints, counts: Floats, smoothing: float) -> None:
        self._yes = (patterns == 1).astype(np.float64)
        self._no = (patterns == 0).astype(np.float64)
        self._counts = counts.astype(np.float64)
        self._smoothing = smoothing
        self.voters = patterns.shape[1]

    def loss(self, at: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood, and its gradient."""
        voters, smoothing = self.voters, self._smoothing
        logs, inverse = -np.logaddexp(0, -at), -np.logaddexp(0, at)  # of the rates, and of one less them
        positive, negative = slice(1, voters + 1), slice(voters + 1, None)
        wrong = inverse[0] + self._yes @ logs[positive] + self._no @ inverse[positive]
        right = logs[0] + self._yes @ inverse[negative] + self._no @ logs[negative]
        whole = np.logaddexp(wrong, right)
        value = self._counts @ whole + smoothing * (logs[1:].sum() + inverse[1:].sum())
        rates = expit(at)
        on_right = self._counts * np.exp(right - whole)
        on_wrong = self._counts - on_right
        gradient = smoothing * (1 - 2 * rates)
        gradient[0] = on_right.sum() - rates[0] * self._counts.sum()
        cast = self._yes + self._no
        gradient[positive] += on_wrong @ self._yes - (on_wrong @ cast) * rates[positive]
        gradient[negative] += on_right @ self._no - (on_right @ cast) * rates[negative]
        return -float(value), -gradient

    def fit(self, start: Floats, fixed: int | None = None) -> tuple[float, Floats]:
        """The least loss from a start on, with one parameter held where it is."""
        bounds = [(-_FARTHEST, _FARTHEST)] * len(start)
        if fixed is not None:
            bounds[fixed] = (start[fixed], start[fixed])
        found = minimize(self.loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
        return float(found.fun), np.asarray(found.x)

    def interval(self, best: Floats, least: float, place: int, level: float) -> Interval:
        """Of the rate at a place; ``best`` are all parameters at the least loss."""
        allowed = float(chi2.ppf(level, 1)) / 2
        low, high = (self._end(best, least + allowed, place, way) for way in (-1.0, 1.0))
        return Interval(low, high)

    def _end(self, best: Floats, loss: float, place: int, way: float) -> float:
        """Steps outwards until the loss is too large, then halves the last step."""
        inside, step, outside = best, _STEP, None
        while outside is None or abs(outside - inside[place]) > _CLOSE:
            if outside is None:
                value = float(np.clip(inside[place] + way * step, -_FARTHEST, _FARTHEST))
                step *= 2
            else:
                value = (inside[place] + outside) / 2
            start = inside.copy()
            start[place] = value
            found, point = self.fit(start, place)
            if found > loss:
                outside = value
            elif abs(value) >= _FARTHEST:
                return 0.0 if way < 0 else 1.0
            else:
                inside = point
        return float(expit(outside))


def profile(
    patterns: Ints,
    counts: Floats,
    prior: float,
    rates: Floats,
    voter: int,
    *,
    smoothing: float = 0.01,
    level: float = LEVEL,
) -> VoterEnds:
    """The intervals of one voter, from the fitted share of right items and ``rates``, V x 2: false positives and false
    negatives of all voters."""
    model = Model(patterns, counts, smoothing)
    start = np.clip(logit(np.clip(np.concatenate([[prior], rates.T.ravel()]), 1e-9, 1 - 1e-9)), -_FARTHEST, _FARTHEST)
    least, best = model.fit(start)
    share = float(expit(best[0]))
    judged = float(counts[patterns[:, voter] >= 0].sum())
    ends = []
    for place, items in ((1 + voter, judged * (1 - share)), (1 + model.voters + voter, judged * share)):
        own = model.interval(best, least, place, level)
        known = wilson(float(expit(best[place])) * items, items, level)
        ends.append(Interval(min(own.low, known.low), max(own.high, known.high)))
    return VoterEnds(*ends)
