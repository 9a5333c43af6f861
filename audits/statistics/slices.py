"""Error rates by slice, worst first, without crying wolf over the worst of many.

Each slice is tested against all other items: is its rate higher? Fisher's exact test, one-sided; where groups are
given, also a test that lets errors correlate within a group, and the larger p-value counts. ``adjusted`` is guarded
against the number of slices: a slice is worse than the rest where it is below the level.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from audits.statistics.arrays import Bools, Groups, codes, same_length, truths
from audits.statistics.comparisons import benjamini_hochberg, holm
from audits.statistics.proportion import LEVEL, Interval, Proportion, proportion


class SliceTest(NamedTuple):
    """One slice: its rate with intervals, the rate of all others, and p-values of its being worse than they are."""

    name: Hashable
    proportion: Proportion
    rest: float | None
    p_value: float
    adjusted: float

    @property
    def interval(self) -> Interval:
        return self.proportion.wilson


def slices(
    errors: ArrayLike,
    names: Groups,
    groups: Groups | None = None,
    *,
    guard: Literal["holm", "benjamini_hochberg"] = "holm",
    level: float = LEVEL,
) -> list[SliceTest]:
    """The slices of N items (1 error, 0 none), worst first: by adjusted and raw p-value, then by rate.

    With a single slice there is nothing to compare: its p-value is 1.
    """
    wrong = truths("errors", errors)
    listed: list[Hashable] = names.tolist() if isinstance(names, np.ndarray) else list(names)
    same_length(errors=wrong, names=listed)
    keys = list(dict.fromkeys(listed))
    index = {key: position for position, key in enumerate(keys)}
    place = np.fromiter((index[key] for key in listed), dtype=np.int64, count=len(listed))
    clusters = None if groups is None else codes("groups", groups)
    if clusters is not None:
        same_length(errors=wrong, groups=clusters)
    sizes = np.bincount(place, minlength=len(keys))
    counts = np.bincount(place, weights=wrong, minlength=len(keys)).astype(np.int64)
    total, all_wrong = len(wrong), int(wrong.sum())
    raw = scipy.stats.hypergeom.sf(counts - 1, total, all_wrong, sizes) if keys else np.zeros(0)
    if clusters is not None:
        raw = np.maximum(raw, [_clustered_p(wrong, place == position, clusters) for position in range(len(keys))])
    raw = np.clip(raw, 0.0, 1.0)
    adjusted = (holm if guard == "holm" else benjamini_hochberg)(raw)
    found = []
    for position, key in enumerate(keys):
        size, count = int(sizes[position]), int(counts[position])
        rest = (all_wrong - count) / (total - size) if total > size else None
        rate = proportion(count, size, level)
        found.append(SliceTest(key, rate, rest, float(raw[position]), float(adjusted[position])))
    return sorted(found, key=lambda one: (one.adjusted, one.p_value, -(one.proportion.rate or 0.0)))


def _clustered_p(wrong: Bools, inside: Bools, clusters: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> float:
    """One-sided t-test of the difference of rates, from sums of its linearised form over clusters."""
    members, others = int(inside.sum()), int((~inside).sum())
    if not (members and others):
        return 1.0
    rate, rest = float(wrong[inside].mean()), float(wrong[~inside].mean())
    parts = np.where(inside, (wrong - rate) / members, -(wrong - rest) / others)
    sums = np.bincount(clusters, weights=parts)
    # few clusters on one side say little of their spread, however many there are on the other
    fewer = min(len(np.unique(clusters[inside])), len(np.unique(clusters[~inside])))
    if fewer < 2:
        return 1.0
    variance = fewer / (fewer - 1) * float(np.sum(sums**2))
    if variance <= 0:
        return 0.0 if rate > rest else 1.0
    return float(scipy.special.stdtr(fewer - 1, -(rate - rest) / variance**0.5))
