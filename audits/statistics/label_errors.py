"""How often labellers are wrong, from how often they disagree.

Each label of a wrong response calls it right with one probability, each of a right one calls it wrong with another,
independently given the truth and whatever the verdict (Dawid and Skene 1979, with labellers that err alike). Strata in
which other shares of responses are wrong tell the two probabilities apart (Hui and Walter 1980), with two labels of a
response already. What all labellers get wrong together is in neither.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy

from audits.statistics.arrays import Floats, Ints
from audits.statistics.proportion import quantile

_HALVINGS = 60
_LEAST = -12.0
_START = -2.0
_PRIOR = 0.5
"""Half an error and half a right label are added to what each probability is fitted to, so neither is surely 0."""
_WAYS = 12
_STEP, _FLAT = 1e-3, 1e-2
"""Of logits; and the least curvature, where nothing is known."""


class Votes(NamedTuple):
    """Of N units the labels that call it wrong, and those that call it right; 0 and 0 where it has none."""

    wrong: Floats
    right: Floats

    @property
    def labels(self) -> Floats:
        return self.wrong + self.right


class LabelErrors(NamedTuple):
    """``missed`` is the share of wrong responses that a label calls right, ``blamed`` that of right ones that it calls
    wrong. ``spread`` has as columns the two standard errors' axes, of the logits of both."""

    missed: float
    blamed: float
    spread: Floats

    def likelihoods(self, votes: Votes) -> tuple[Floats, Floats]:
        """Of a unit's labels, if it is wrong and if it is right."""
        return (
            np.exp(scipy.special.xlog1py(votes.wrong, -self.missed) + scipy.special.xlogy(votes.right, self.missed)),
            np.exp(scipy.special.xlogy(votes.wrong, self.blamed) + scipy.special.xlog1py(votes.right, -self.blamed)),
        )

    def around(self, level: float) -> list[LabelErrors]:
        """Probabilities at the edge of what one rate's interval has to allow for."""
        centre = scipy.special.logit([self.missed, self.blamed])
        turns = np.linspace(0, 2 * math.pi, _WAYS, endpoint=False)
        edge = centre + quantile(level) * np.stack([np.cos(turns), np.sin(turns)], axis=1) @ self.spread.T
        # beyond a half a label would say the opposite of what it says
        return [_errors(np.clip(one, _LEAST, 0.0), self.spread) for one in edge]

    def information(self, labels: Ints, shares: Floats) -> Floats:
        """Fisher's, of the share of wrong responses, in so many labels of a response: shares x labels."""
        found = np.zeros((len(shares), len(labels)))
        share = np.clip(shares, 1e-12, 1 - 1e-12)[:, None]
        for place, count in enumerate(labels.tolist()):
            wrong = np.arange(count + 1.0)
            ways = scipy.special.binom(count, wrong)
            on_wrong, on_right = (ways * one for one in self.likelihoods(Votes(wrong, count - wrong)))
            found[:, place] = np.sum((on_wrong - on_right) ** 2 / (share * on_wrong + (1 - share) * on_right), axis=1)
        return found


def estimate_wrong_shares(place: Ints, weight: Floats, wrong: Floats, right: Floats, size: int) -> Floats:
    """The most likely share of wrong units in each stratum, from the likelihoods of their labels. Half without any."""
    low, high = np.zeros(size), np.ones(size)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        slope = (wrong - right) / (middle[place] * wrong + (1 - middle[place]) * right)
        more = np.bincount(place, weights=weight * slope, minlength=size) > 0
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.where(np.bincount(place, minlength=size) > 0, (low + high) / 2, 0.5)


def estimate_label_errors(place: Ints, votes: Votes) -> LabelErrors:
    """Of labelled units in strata. Little is known with few that have two labels, or where strata are all alike."""
    patterns, counts = np.unique(np.stack([place, votes.wrong, votes.right], axis=1), axis=0, return_counts=True)
    of, seen = patterns[:, 0].astype(np.int64), Votes(patterns[:, 1], patterns[:, 2])
    size = int(of.max(initial=-1)) + 1

    def loss(at: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood with the most likely shares, and its gradient."""
        rates = scipy.special.expit(at)
        wrong, right = _errors(at, np.zeros((2, 2))).likelihoods(seen)
        share = estimate_wrong_shares(of, counts.astype(np.float64), wrong, right, size)[of]
        on_wrong, on_right = share * wrong, (1 - share) * right
        whole = on_wrong + on_right
        missed = on_wrong * (seen.right - rates[0] * seen.labels)
        blamed = on_right * (seen.wrong - rates[1] * seen.labels)
        value = counts @ np.log(whole) - _PRIOR * float(np.sum(np.logaddexp(0, -at) + np.logaddexp(0, at)))
        slope = np.array([counts @ (missed / whole), counts @ (blamed / whole)]) + _PRIOR * (1 - 2 * rates)
        return -float(value), -slope

    start = np.full(2, _START)
    best = np.asarray(scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(_LEAST, 0.0)] * 2).x)
    curved = np.array([loss(best + one)[1] - loss(best - one)[1] for one in _STEP * np.eye(2)]) / (2 * _STEP)
    values, axes = np.linalg.eigh((curved + curved.T) / 2)
    return _errors(best, axes / np.sqrt(np.maximum(values, _FLAT)))


def _errors(logits: Floats, spread: Floats) -> LabelErrors:
    missed, blamed = scipy.special.expit(logits).tolist()
    return LabelErrors(missed, blamed, spread)
