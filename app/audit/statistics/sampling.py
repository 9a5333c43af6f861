"""Rates from items that were drawn with unequal but known probability, as a labelling queue draws them.

Each drawn item counts 1/probability times; the rate is the ratio of two such totals (Hajek 1971). ``error`` is the
classical standard error of the linearised ratio about the rate of the *stored* items, from Poisson sampling, where each
item is drawn on its own, or from stratified sampling without replacement (Horvitz and Thompson 1952; Särndal, Swensson
and Wretman 1992, sections 3.7 and 5.6). It is 0 where all items are labelled. ``interval`` speaks of the verifier at
large, of which the stored items are themselves a sample: their own spread is added, by ``groups`` where these are
given, since answers to one prompt share their errors. It is Wilson's at the number of independent items that would
have this variance (Korn and Graubard 1998), so it stays in [0, 1] and has a width without errors, too.

With few groups their own spread is badly known, mostly too small: then a group counts as one item at most, as in
``clusters.cautious``, and ``too_few`` says so.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from app.audit.statistics.arrays import Bools, Floats, Groups, codes, probabilities, same_length, truths
from app.audit.statistics.clusters import LEAST_WITH_ERROR, too_few
from app.audit.statistics.proportion import EVERYTHING, LEVEL, Interval, wilson

Stratum = TypeVar("Stratum", bound=Hashable)


class Total(NamedTuple):
    """A Horvitz-Thompson total with its standard error."""

    total: float
    error: float


class Weighted(NamedTuple):
    """A weighted rate; ``rate`` and ``error`` are None without a member.

    ``members`` is their estimated number among the stored items, ``drawn`` how many of them were labelled, and
    ``effective`` how many independent items these are worth. ``too_few`` is why that is bounded by the groups.
    """

    rate: float | None
    error: float | None
    interval: Interval
    members: float
    drawn: int
    effective: float
    too_few: str | None = None


def horvitz_thompson(values: ArrayLike, probability: ArrayLike) -> Total:
    """The number of ones in a population, from a Poisson sample of n values (1 or 0) drawn with ``probability``."""
    counted, chance = truths("values", values), probabilities("probability", probability)
    same_length(values=counted, probability=chance)
    variance = float(np.sum((1 - chance) / chance**2 * counted))
    return Total(float(np.sum(counted / chance)), math.sqrt(variance))


def poisson_rate(
    errors: ArrayLike,
    probability: ArrayLike,
    members: ArrayLike | None = None,
    groups: Groups | None = None,
    *,
    level: float = LEVEL,
) -> Weighted:
    """The rate of errors among members, from n items that were drawn independently with ``probability`` in (0, 1].

    ``members`` (default all) are the items that the rate speaks of, such as the truly wrong ones with a
    verdict. Items of one of the ``groups`` may share their errors.
    """
    chance = probabilities("probability", probability)
    drawn = _Drawn(errors, members, 1 / chance)
    return drawn.rate(float(np.sum((1 - chance) / chance**2 * drawn.residuals**2)), groups, level)


def stratified_rate(
    errors: ArrayLike,
    strata: Groups,
    population: Mapping[Stratum, int],
    members: ArrayLike | None = None,
    groups: Groups | None = None,
    *,
    level: float = LEVEL,
) -> Weighted:
    """The same from simple random samples without replacement of each stratum; ``population`` has their sizes.

    Raises ValueError for a stratum of which nothing was drawn: nothing is known of it. Where a single one of several
    was drawn, the stratum's spread is unknown and taken as the widest that an item can have.
    """
    names: list[Hashable] = strata.tolist() if isinstance(strata, np.ndarray) else list(strata)
    index = {name: position for position, name in enumerate(dict.fromkeys(names))}
    sizes: dict[Hashable, int] = {name: size for name, size in population.items() if size > 0}
    if index.keys() != sizes.keys():
        unsized, undrawn = (
            sorted(map(str, keys)) for keys in (index.keys() - sizes.keys(), sizes.keys() - index.keys())
        )
        raise ValueError(
            f"every stratum needs a population and a drawn item: no population {unsized}, none drawn {undrawn}"
        )
    place = np.array([index[name] for name in names], dtype=np.int64)
    taken, total = np.bincount(place), np.array([sizes[name] for name in index], dtype=np.float64)
    if (taken > total).any():
        raise ValueError("a stratum has more drawn items than its population")
    drawn = _Drawn(errors, members, (total / taken)[place])
    mean = np.bincount(place, weights=drawn.residuals) / taken
    squares = np.bincount(place, weights=(drawn.residuals - mean[place]) ** 2)
    spread = np.where(taken > 1, squares / np.maximum(taken - 1, 1), 1.0)
    return drawn.rate(float(np.sum(total * (total - taken) * spread / taken)), groups, level)


class _Drawn:
    """Drawn items with their weights; ``residuals`` is what each adds to the linearised ratio, times the members."""

    def __init__(self, errors: ArrayLike, members: ArrayLike | None, weights: Floats) -> None:
        wrong = truths("errors", errors)
        within: Bools = np.ones(len(wrong), dtype=np.bool_) if members is None else truths("members", members)
        same_length(errors=wrong, members=within, weights=weights)
        self.weights = weights
        self.within = within
        self.members = float(np.sum(weights * within))
        found = float(np.sum(weights * (wrong & within)))
        self.ratio = min(found / self.members, 1.0) if self.members else 0.0
        self.residuals: Floats = (wrong & within) - self.ratio * within

    def rate(self, variance: float, groups: Groups | None, level: float) -> Weighted:
        """``variance`` is that of the total of the residuals under the sampling design."""
        drawn = int(np.count_nonzero(self.within))
        if not drawn:
            return Weighted(None, None, EVERYTHING, 0.0, 0, 0.0)
        # Kish: what weights alone leave of the number drawn; the variance says nothing where all items are alike
        effective = self.members**2 / float(np.sum(self.weights**2 * self.within))
        at_large = (variance + self._own_spread(groups)) / self.members**2
        if 0 < self.ratio < 1:
            effective = self.ratio * (1 - self.ratio) / at_large
        few = None
        if groups is not None:
            clusters = len(np.unique(codes("groups", groups)[self.within]))
            if few := too_few(clusters, LEAST_WITH_ERROR, LEAST_WITH_ERROR):
                effective = min(effective, float(clusters))
        interval = wilson(self.ratio * effective, effective, level)
        return Weighted(self.ratio, math.sqrt(variance) / self.members, interval, self.members, drawn, effective, few)

    def _own_spread(self, groups: Groups | None) -> float:
        """Of the stored items about the verifier at large; what pairs of one group add is never below 0."""
        alone = float(np.sum(self.weights * self.residuals**2))
        if groups is None:
            return alone
        place = codes("groups", groups)
        same_length(errors=self.residuals, groups=place)
        weighted = self.weights * self.residuals
        pairs = float(np.sum(np.bincount(place, weights=weighted) ** 2) - np.sum(weighted**2))
        return alone + max(pairs, 0.0)
