"""Since when a series is not what it was: CUSUM with binary segmentation, calibrated by permutation.

The statistic is the largest standardised gap between the means before and after a split; its p-value the share of
shuffles of the series with one as large (Page 1954; Antoch and Huskova 2001). So a series without a change alarms with
probability ``false_alarms`` at most, whatever its distribution, provided its values can be exchanged: give one value
per step (a mean or a share), and block means where neighbouring steps resemble each other. Each segment is split again
until nothing is left to find. A trend is found as steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, in_open_unit, numbers

SHUFFLES = 999
LEAST_SEGMENT = 5


class ChangePoint(NamedTuple):
    """``start`` is the index of the first new value; the means of both sides, and the p-value."""

    start: int
    before: float
    after: float
    p_value: float


def change_points(
    series: ArrayLike, *, false_alarms: float = 0.01, shuffles: int = SHUFFLES, seed: int = 0
) -> list[ChangePoint]:
    """The changes of T values in order of time; none where the series is shorter than two segments of five values.

    Raises ValueError where so few shuffles could never reach ``false_alarms``.
    """
    values = numbers("series", series)
    if 1 / (shuffles + 1) > in_open_unit("false_alarms", false_alarms):
        raise ValueError(f"{shuffles} shuffles cannot show a chance of {false_alarms:g}: raise shuffles")
    generator = np.random.default_rng(seed)
    found: list[ChangePoint] = []
    segments = [(0, len(values))]
    while segments:
        first, end = segments.pop()
        change = _strongest(values[first:end], shuffles, generator)
        if change is not None and change.p_value <= false_alarms:
            found.append(change._replace(start=first + change.start))
            segments += [(first, first + change.start), (first + change.start, end)]
    return sorted(found)


def _strongest(values: Floats, shuffles: int, generator: np.random.Generator) -> ChangePoint | None:
    size = len(values)
    if size < 2 * LEAST_SEGMENT or values.min() == values.max():
        return None
    gaps = _gaps(values[None, :])[0]
    best = int(np.argmax(gaps))
    shuffled = generator.permuted(np.broadcast_to(values, (shuffles, size)), axis=1)
    # sums in another order differ by rounding, which must not make a tie smaller
    as_large = int(np.count_nonzero(_gaps(shuffled).max(axis=1) >= gaps[best] * (1 - 1e-9)))
    index = best + LEAST_SEGMENT
    p_value = (1 + as_large) / (1 + shuffles)
    return ChangePoint(index, float(values[:index].mean()), float(values[index:].mean()), p_value)


def _gaps(series: Floats) -> Floats:
    """Standardised gaps at each split that leaves both sides a segment. Shape B x T in, B x (T - 2 segment + 1) out."""
    size = series.shape[1]
    splits = np.arange(LEAST_SEGMENT, size - LEAST_SEGMENT + 1)
    centred = series - series.mean(axis=1, keepdims=True)
    sums = np.cumsum(centred, axis=1)[:, splits - 1]
    gaps: Floats = np.abs(sums) * np.sqrt(size / (splits * (size - splits)))
    return gaps
