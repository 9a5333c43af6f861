"""Benchmarks of reward models and judges: does the better response score higher?

Each function takes the scores of one row, or of all, and says which rule on ties it follows; rates of many rows with
intervals come from ``proportion`` and ``clusters``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, numbers, same_length


class Pairs(NamedTuple):
    """Of N preference pairs: ``won`` by the chosen response, ``tied``, ``lost``."""

    won: int
    tied: int
    lost: int

    @property
    def accuracy_with_ties(self) -> float | None:
        """A tie counts half: what a coin would make of it."""
        return (self.won + self.tied / 2) / sum(self) if sum(self) else None


def pairs(chosen: ArrayLike, rejected: ArrayLike) -> Pairs:
    """N scores of chosen responses against N of rejected ones."""
    better, worse = numbers("chosen", chosen), numbers("rejected", rejected)
    same_length(chosen=better, rejected=worse)
    counts = (better > worse).sum(), (better == worse).sum(), (better < worse).sum()
    return Pairs(*(int(count) for count in counts))


def best_of_credit(chosen: float, rejected: ArrayLike) -> float:
    """RewardBench 2: 1 over the number of responses tied for the best score, where the chosen one is among them."""
    others = _row(chosen, rejected)
    if (others > chosen).any():
        return 0.0
    return 1 / (1 + int(np.count_nonzero(others == chosen)))


class ChosenRank(NamedTuple):
    """The chosen response's ``rank`` among all, 1 the best, a tie counting against it (RewardMATH)."""

    rank: int

    @property
    def first(self) -> bool:
        return self.rank == 1

    @property
    def reciprocal(self) -> float:
        """Its mean over rows is the mean reciprocal rank."""
        return 1 / self.rank


def place_among(chosen: float, rejected: ArrayLike) -> ChosenRank:
    """Where the chosen response comes among the rejected ones."""
    return ChosenRank(1 + int(np.count_nonzero(_row(chosen, rejected) >= chosen)))


class StyleGrid(NamedTuple):
    """RM-Bench (arXiv 2410.16184): accuracies of chosen style i against rejected style j, styles from plain to ornate.

    ``hard`` is where the rejected response looks better: above the diagonal.
    """

    accuracy: Floats
    easy: float
    normal: float
    hard: float

    @property
    def mean(self) -> float:
        return float(self.accuracy.mean())


def style_grid(chosen: ArrayLike, rejected: ArrayLike) -> StyleGrid:
    """N x S scores of chosen and of rejected responses in S styles (RM-Bench has 3); a tie is an error."""
    better, worse = np.asarray(chosen, dtype=np.float64), np.asarray(rejected, dtype=np.float64)
    if better.ndim != 2 or better.shape != worse.shape or better.shape[1] < 2 or not len(better):
        raise ValueError(f"needs rows x styles of both, at least two styles, got {better.shape} and {worse.shape}")
    if not (np.isfinite(better).all() and np.isfinite(worse).all()):
        raise ValueError("scores are missing or infinite: leave those rows out and report how many")
    accuracy = (better[:, :, None] > worse[:, None, :]).mean(axis=0)
    styles = len(accuracy)
    lower, upper = np.tril_indices(styles, -1), np.triu_indices(styles, 1)
    return StyleGrid(
        accuracy, float(accuracy[lower].mean()), float(np.trace(accuracy)) / styles, float(accuracy[upper].mean())
    )


def two_orders(first: int, second: int) -> bool:
    """JudgeBench: right where the two orders, +1 as labelled, -1 the opposite, 0 a tie, sum to more than 0."""
    if not {first, second} <= {-1, 0, 1}:
        raise ValueError("each order is 1 (as labelled), -1 (the opposite) or 0 (tie)")
    return first + second > 0


def prefers_own(own: tuple[float, float], other: tuple[float, float]) -> bool:
    """Two prompts with an answer each, or two principles: does each prefer its own?

    ``own`` = r(x, y) and r(x', y'), ``other`` = r(x, y') and r(x', y): each prompt must score its own answer higher.
    """
    return own[0] > other[0] and own[1] > other[1]


def _row(chosen: float, rejected: ArrayLike) -> Floats:
    others = numbers("rejected", rejected)
    if not np.isfinite(chosen) or not len(others):
        raise ValueError("needs a finite score of the chosen response and at least one rejected response")
    return others
