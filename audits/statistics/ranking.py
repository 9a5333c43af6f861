"""Whether two versions of a judge order the responses to a prompt alike, and how firm the best of a group is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, Groups, Ints, codes, numbers, same_length

_SMALL = 64
"""Members of a group of which all pairs are compared; larger ones are sorted."""
_PAIRS = 2_000_000
"""Pairs at a time."""


class RankAgreement(NamedTuple):
    """Kendall's tau-b per group, in the groups' order; NaN where a version ties all its responses.

    ``mean`` is over the groups where it is defined, None without one; ``weights`` are the soft weights of CREAM
    (arXiv 2410.12735), ``(tau + 1) / 2``.
    """

    taus: Floats
    mean: float | None

    @property
    def weights(self) -> Floats:
        soft: Floats = (self.taus + 1) / 2
        return soft


def rank_agreement(first: ArrayLike, second: ArrayLike, groups: Groups) -> RankAgreement:
    """N scores of each version; groups in order of appearance (of number, where ids are an integer array)."""
    one, other = numbers("first", first), numbers("second", second)
    place = codes("groups", groups)
    same_length(first=one, second=other, groups=place)
    taus = _taus(one, other, place)
    known = taus[~np.isnan(taus)]
    return RankAgreement(taus, float(known.mean()) if len(known) else None)


class Jitter(NamedTuple):
    """``changed`` is the share of groups whose best member ever changes; ``flips`` the mean share of draws in which a
    group's does. None without a group of two."""

    changed: float | None
    flips: float | None
    groups: int


def weight_jitter(
    components: ArrayLike, weights: ArrayLike, groups: Groups, *, spread: float = 0.1, draws: int = 100, seed: int = 0
) -> Jitter:
    """Weights of a sum scaled by up to ``spread`` either way: does the best response of each group stay the best?

    ``components`` is N x T, ``weights`` T. A tie goes to the earlier response, so a tie that is broken is a change.
    """
    parts, sizes = np.asarray(components, dtype=np.float64), numbers("weights", weights)
    place = codes("groups", groups)
    if parts.ndim != 2 or parts.shape[1] != len(sizes) or not np.isfinite(parts).all():
        raise ValueError(f"components must be finite, items x {len(sizes)} weights, got shape {parts.shape}")
    same_length(components=parts, groups=place)
    if not 0 < spread < 1 or draws < 1:
        raise ValueError("spread must lie in (0, 1) and draws be at least 1")
    factors = 1 + np.random.default_rng(seed).uniform(-spread, spread, size=(draws, len(sizes)))
    changes = []
    for members in _members(place):
        if len(members) >= 2:
            own = parts[members]
            best = int(np.argmax(own @ sizes))
            changes.append(float(np.mean(np.argmax(own @ (factors * sizes).T, axis=0) != best)))
    if not changes:
        return Jitter(None, None, 0)
    return Jitter(float(np.mean(np.array(changes) > 0)), float(np.mean(changes)), len(changes))


def _members(place: Ints) -> Iterator[Ints]:
    """Positions of each group's items, group by group."""
    if len(place):
        yield from np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])


def _taus(one: Floats, other: Floats, place: Ints) -> Floats:
    """Groups of one size at a time: most runs have one size, and a million groups."""
    sizes = np.bincount(place)
    order, starts = np.argsort(place, kind="stable"), np.cumsum(sizes) - sizes
    taus = np.full(len(sizes), np.nan)
    for size in np.unique(sizes).tolist():
        at_once = max(_PAIRS // max(size * size, 1), 1)
        groups = np.flatnonzero(sizes == size)
        for start in range(0, len(groups), at_once):
            some = groups[start : start + at_once]
            members = order[starts[some][:, None] + np.arange(size)]
            if size > _SMALL:
                taus[some] = [_tau(one[row], other[row]) for row in members]
            else:
                taus[some] = _tau_of_pairs(one[members], other[members])
    return taus


def _tau_of_pairs(one: Floats, other: Floats) -> Floats:
    """Tau-b of G groups of one size, from the signs of all differences."""
    first, second = (np.sign(scores[:, :, None] - scores[:, None, :]) for scores in (one, other))
    alike = np.einsum("gij,gij->g", first, second)
    told = np.einsum("gij,gij->g", first, first) * np.einsum("gij,gij->g", second, second)
    taus: Floats = np.where(told > 0, alike / np.sqrt(np.where(told > 0, told, 1.0)), np.nan)
    return taus


def _tau(one: Floats, other: Floats) -> float:
    if one.min() == one.max() or other.min() == other.max():
        return float("nan")
    return float(scipy.stats.kendalltau(one, other).statistic)
