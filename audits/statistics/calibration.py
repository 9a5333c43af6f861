"""Whether stated confidences come true: the reliability diagram, its expected error, and Brier's score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Bools, Floats, Ints, same_length, shares, truths
from audits.statistics.drawn import DrawnRate
from audits.statistics.proportion import LEVEL, Interval, Proportion, proportion


class Bin(NamedTuple):
    """Confidences in [low, high): their mean, and the share of responses that were right: counted, or that of a run of
    which responses were drawn."""

    low: float
    high: float
    confidence: float
    observed: Proportion | DrawnRate

    @property
    def interval(self) -> Interval:
        return self.observed.wilson if isinstance(self.observed, Proportion) else self.observed.interval


class Calibration(NamedTuple):
    """``error`` is the expected calibration error, the mean gap of confidence and truth over the bins; ``worst`` the
    largest. ``brier`` is the mean squared gap of each response."""

    bins: list[Bin]
    error: float
    worst: float
    brier: float


def calibration(
    confidence: ArrayLike,
    right: ArrayLike,
    *,
    bins: int = 10,
    spacing: Literal["width", "mass"] = "width",
    level: float = LEVEL,
) -> Calibration:
    """N confidences in [0, 1] that a response is right, and N labels.

    Bins are equally wide, or hold about equally many responses (``mass``); empty ones are left out, and the last one
    holds its upper end. Raises ValueError without responses.
    """
    stated, truth = shares("confidence", confidence), truths("right", right)
    size = same_length(confidence=stated, right=truth)
    if not size:
        raise ValueError("no labels: calibration needs responses")
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    edges = np.linspace(0, 1, bins + 1)
    if spacing == "mass":
        edges = np.unique(np.quantile(stated, edges))
        edges = edges if len(edges) > 1 else np.array([edges[0], np.nextafter(edges[0], 2)])
    place = _bins(stated, edges)
    counts = np.bincount(place, minlength=len(edges) - 1)
    sums = np.bincount(place, weights=stated, minlength=len(edges) - 1)
    hits = np.bincount(place, weights=truth, minlength=len(edges) - 1)
    filled = np.flatnonzero(counts)
    found = [
        Bin(
            float(edges[one]),
            float(edges[one + 1]),
            float(sums[one] / counts[one]),
            proportion(int(hits[one]), int(counts[one]), level),
        )
        for one in filled
    ]
    gaps = np.abs(hits[filled] - sums[filled]) / counts[filled]
    error = float(np.sum(gaps * counts[filled]) / size)
    return Calibration(found, error, float(gaps.max()), float(np.mean((stated - truth) ** 2)))


def run_calibration(confidence: ArrayLike, right: Callable[[Bools], DrawnRate], bins: int = 10) -> Calibration | None:
    """Of N responses of a run, NaN where nothing is stated; ``right`` estimates the share of right ones among some of
    them from those that were drawn and labelled.

    Bins are equally wide; those of which nothing is known are left out. Brier's score is that of the bins, which takes
    confidence and truth for unrelated within each. None where nothing is known of any.
    """
    stated = np.asarray(confidence, dtype=np.float64)
    known = ~np.isnan(stated)
    edges = np.linspace(0, 1, bins + 1)
    place = _bins(np.where(known, stated, 0.0), edges)
    found, sizes, squares, rates = [], [], [], []
    for one in range(bins):
        inside: Bools = known & (place == one)
        share = right(inside) if inside.any() else None
        if share is None or share.rate is None:
            continue
        found.append(Bin(float(edges[one]), float(edges[one + 1]), float(stated[inside].mean()), share))
        sizes.append(int(inside.sum()))
        squares.append(float(np.mean(stated[inside] ** 2)))
        rates.append(share.rate)
    if not found:
        return None
    means, rate, size = np.array([one.confidence for one in found]), np.array(rates), np.array(sizes)
    gaps = np.abs(means - rate)
    brier = float(np.average(np.array(squares) - 2 * means * rate + rate, weights=size))
    return Calibration(found, float(np.average(gaps, weights=size)), float(gaps.max()), brier)


def _bins(stated: Floats, edges: Floats) -> Ints:
    return np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, len(edges) - 2)
