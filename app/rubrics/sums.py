"""How the criteria of a rubric go together, from sums that verdicts are added to page by page: memory is bounded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trueward.rubrics.correlation import CriterionPair, CriterionUse

MOST = 256
"""Criteria of one rubric; the format has no more."""

ENOUGH = 10
"""Verdicts below which nothing is flagged."""

STRONG = 0.9


class Sums:
    """Scores of criteria, by id; a verdict need not have all of them. Over all there are at most :data:`MOST`."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        shape = (MOST, MOST)
        self._n, self._x, self._xx, self._xy = (np.zeros(shape) for _ in range(4))

    def add(self, verdicts: Sequence[Mapping[str, float]]) -> None:
        """Entry (i, j) of each matrix is over the verdicts that have both criteria."""
        for name in dict.fromkeys(name for verdict in verdicts for name in verdict):
            self._places.setdefault(name, len(self._places))
        size = len(self._places)
        scores = np.array([[verdict.get(name, math.nan) for name in self._places] for verdict in verdicts])
        scores = scores.reshape(len(verdicts), size)
        there = (~np.isnan(scores)).astype(float)
        filled = np.nan_to_num(scores)
        self._n[:size, :size] += there.T @ there
        self._x[:size, :size] += filled.T @ there
        self._xx[:size, :size] += (filled**2).T @ there
        self._xy[:size, :size] += filled.T @ filled

    def criteria(self) -> list[CriterionUse]:
        """In the order in which they were first seen."""
        return [self._use(name, place) for name, place in self._places.items()]

    def pairs(self) -> list[CriterionPair]:
        """Strongest first; those that were never judged together are left out."""
        names = [*self._places]
        values = _pearson(self._n, self._x, self._xx, self._xy)
        found = [
            self._pair(names[i], names[j], int(self._n[i, j]), float(values[i, j]))
            for i in range(len(names))
            for j in range(i + 1, len(names))
            if self._n[i, j]
        ]
        return sorted(found, key=lambda pair: (-abs(pair.correlation or 0.0), pair.first, pair.second))

    def _use(self, name: str, place: int) -> CriterionUse:
        n = int(self._n[place, place])
        mean = float(self._x[place, place]) / n
        constant = n >= ENOUGH and mean in (0.0, 1.0)
        return CriterionUse(id=name, n=n, mean=mean, flag=("always_met" if mean else "never_met") if constant else None)

    def _pair(self, first: str, second: str, n: int, value: float) -> CriterionPair:
        if math.isnan(value):
            return CriterionPair(first=first, second=second, n=n, correlation=None)
        strong = n >= ENOUGH and abs(value) >= STRONG
        flag = ("alike" if value > 0 else "opposite") if strong else None
        return CriterionPair(first=first, second=second, n=n, correlation=value, flag=flag)


def _pearson(
    n: NDArray[np.float64], x: NDArray[np.float64], xx: NDArray[np.float64], xy: NDArray[np.float64]
) -> NDArray[np.float64]:
    """NaN where one of the two does not vary."""
    covered = n * xy - x * x.T
    spread = n * xx - x**2
    spread[spread < 1e-9 * np.maximum(n, 1.0) ** 2] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        found: NDArray[np.float64] = np.clip(covered / np.sqrt(spread * spread.T), -1.0, 1.0)
    return np.where(spread * spread.T > 0, found, math.nan)
