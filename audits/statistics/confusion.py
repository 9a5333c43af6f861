"""Verdicts against labels: the confusion matrix with a third column for "no verdict", and what follows from it.

A missing verdict is neither an acceptance nor a rejection: rates are those of the items that have a verdict, and
``coverage`` says how many these are. Without them in the denominator a rate says nothing of the items left out.
A ratio whose denominator is 0 is None: undefined, not zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, Verdicts, same_length, truths, verdicts
from audits.statistics.proportion import LEVEL, Proportion, proportion


class Confusion(NamedTuple):
    """Counts of items, by truth and verdict."""

    right_accepted: int
    right_rejected: int
    right_missing: int
    wrong_accepted: int
    wrong_rejected: int
    wrong_missing: int

    @property
    def right(self) -> int:
        """Truly right items with a verdict."""
        return self.right_accepted + self.right_rejected

    @property
    def wrong(self) -> int:
        """Truly wrong items with a verdict."""
        return self.wrong_accepted + self.wrong_rejected

    @property
    def judged(self) -> int:
        return self.right + self.wrong

    @property
    def items(self) -> int:
        return sum(self)

    @property
    def coverage(self) -> float | None:
        """Share of the items that have a verdict."""
        return _ratio(self.judged, self.items)

    @property
    def false_positive_rate(self) -> float | None:
        return _ratio(self.wrong_accepted, self.wrong)

    @property
    def false_negative_rate(self) -> float | None:
        return _ratio(self.right_rejected, self.right)

    @property
    def accuracy(self) -> float | None:
        return _ratio(self.right_accepted + self.wrong_rejected, self.judged)

    @property
    def precision(self) -> float | None:
        return _ratio(self.right_accepted, self.right_accepted + self.wrong_accepted)

    @property
    def recall(self) -> float | None:
        return _ratio(self.right_accepted, self.right)

    @property
    def f1(self) -> float | None:
        return _ratio(2 * self.right_accepted, 2 * self.right_accepted + self.wrong_accepted + self.right_rejected)

    @property
    def mcc(self) -> float | None:
        """Matthews correlation, in [-1, 1]; None where a row or a column of the 2x2 table is empty."""
        accepted = self.right_accepted + self.wrong_accepted
        margins = self.right * self.wrong * accepted * (self.judged - accepted)
        if margins == 0:
            return None
        both = self.right_accepted * self.wrong_rejected - self.wrong_accepted * self.right_rejected
        return both / math.sqrt(margins)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of verdict and label, in [-1, 1]; None where both are constant and the same."""
        if not self.judged:
            return None
        accepted = self.right_accepted + self.wrong_accepted
        chance = accepted * self.right + (self.judged - accepted) * self.wrong
        return _ratio(
            self.judged * (self.right_accepted + self.wrong_rejected) - chance, self.judged * self.judged - chance
        )

    @property
    def youden(self) -> float | None:
        """Youden's J = 1 - false-positive rate - false-negative rate, in [-1, 1]."""
        if not (self.right and self.wrong):
            return None
        return self.right_accepted / self.right - self.wrong_accepted / self.wrong

    def false_positives(self, level: float = LEVEL) -> Proportion:
        """Wrong items that were accepted, with intervals."""
        return proportion(self.wrong_accepted, self.wrong, level)

    def false_negatives(self, level: float = LEVEL) -> Proportion:
        """Right items that were rejected, with intervals."""
        return proportion(self.right_rejected, self.right, level)


def confusion(right: ArrayLike, accepted: Verdicts) -> Confusion:
    """Counts of N labels (1 right, 0 wrong) against N verdicts (1, 0, None)."""
    return Confusion(*(int(count) for count in indicators(right, accepted).sum(axis=0)))


def indicators(right: ArrayLike, accepted: Verdicts) -> Floats:
    """Which of the six cells each item is in, in the order of ``Confusion``. Shape N, N in, N x 6 out."""
    truth, said = truths("right", right), verdicts("accepted", accepted)
    same_length(right=truth, accepted=said)
    cell = np.where(np.isnan(said), 2, np.where(said == 1, 0, 1)) + np.where(truth, 0, 3)
    placed = np.zeros((len(cell), 6))
    placed[np.arange(len(cell)), cell] = 1.0
    return placed


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
