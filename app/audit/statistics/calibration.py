"""Whether stated confidences come true: the reliability diagram, its expected error, and Brier's score."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.audit.statistics.arrays import same_length, shares, truths
from app.audit.statistics.proportion import LEVEL, Proportion, proportion


class Bin(NamedTuple):
    """Confidences in [low, high): their mean, and how many of ``observed.trials`` responses were right."""

    low: float
    high: float
    confidence: float
    observed: Proportion


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
    place = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, len(edges) - 2)
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
