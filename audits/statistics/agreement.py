"""How far two verifiers, or several annotators, agree.

Cohen's kappa (1960) for two raters, Krippendorff's alpha (2011) for any number with missing ratings. 1 is perfect
agreement, 0 that of chance. None where it is undefined: nothing was rated twice, or all ratings are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, Ratings, Verdicts, same_length, verdicts

Metric = Literal["nominal", "ordinal", "interval"]


class Agreement(NamedTuple):
    """Two verifiers on the items on which both have a verdict.

    ``only_first`` were accepted by the first alone, ``only_second`` by the second alone.
    """

    both: int
    neither: int
    only_first: int
    only_second: int

    @property
    def items(self) -> int:
        return sum(self)

    @property
    def share(self) -> float | None:
        return (self.both + self.neither) / self.items if self.items else None

    @property
    def kappa(self) -> float | None:
        return cohen_kappa([[self.neither, self.only_second], [self.only_first, self.both]])


def agreement(first: Verdicts, second: Verdicts) -> Agreement:
    """Counts of N and N verdicts (1, 0, None)."""
    one, other = verdicts("first", first), verdicts("second", second)
    same_length(first=one, second=other)
    counts = [np.count_nonzero((one == a) & (other == b)) for a, b in ((1, 1), (0, 0), (1, 0), (0, 1))]
    return Agreement(*(int(count) for count in counts))


def pairwise(verdicts_by_name: Mapping[str, Verdicts]) -> dict[tuple[str, str], Agreement]:
    """The agreement of each pair of verifiers."""
    return {
        (one, other): agreement(verdicts_by_name[one], verdicts_by_name[other])
        for one, other in combinations(verdicts_by_name, 2)
    }


def cohen_kappa(table: ArrayLike) -> float | None:
    """From K x K counts: rows the first rater's classes, columns the second's."""
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not (counts >= 0).all():
        raise ValueError("a table of agreement is square and has counts of at least 0")
    total = counts.sum()
    chance = float(counts.sum(axis=1) @ counts.sum(axis=0))
    if total == 0 or chance == total * total:
        return None
    return float((total * np.trace(counts) - chance) / (total * total - chance))


def krippendorff_alpha(ratings: Ratings, metric: Metric = "nominal") -> float | None:
    """From N items x R raters, None or NaN where missing; ``metric`` is how far two ratings are apart."""
    rated = np.asarray(ratings, dtype=np.float64)
    if rated.ndim != 2:
        raise ValueError(f"ratings must be items x raters, got shape {rated.shape}")
    if np.isinf(rated).any():
        raise ValueError("ratings must be finite, or None")
    values, place = np.unique(rated[~np.isnan(rated)], return_inverse=True)
    rows = np.nonzero(~np.isnan(rated))[0]
    counts = np.zeros((len(rated), len(values)))
    np.add.at(counts, (rows, place), 1)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts) or len(values) < 2:
        return None
    each = counts.sum(axis=1)
    coincidences = (counts / (each - 1)[:, None]).T @ counts - np.diag((counts / (each - 1)[:, None]).sum(axis=0))
    margins = coincidences.sum(axis=1)
    distance = _distance(values, margins, metric)
    expected = float(margins @ distance @ margins) / (margins.sum() - 1)
    return None if expected == 0 else 1 - float((coincidences * distance).sum()) / expected


def _distance(values: Floats, margins: Floats, metric: Metric) -> Floats:
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "interval":
        squares: Floats = (values[:, None] - values[None, :]) ** 2
        return squares
    # ratings passed over between two ranks, half of both ends left out
    middle = np.cumsum(margins) - margins / 2
    ranks: Floats = (middle[:, None] - middle[None, :]) ** 2
    return ranks
