"""Since when the series of a run changed: change points of its steps' means."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from app.watch.signal_input import WatchedWindows
from app.watch.signals.zero_variance import flat_groups
from app.watch.stream import RecordStream
from app.watch.windows import step_of
from audits.statistics.arrays import Floats
from audits.statistics.change_point import change_points
from trueward.wire.watch import SeriesChange

_LEAST_STEPS = 10
_MOST_STEPS = 200
"""Values of a series; of a longer run several steps are one."""


def changes(seen: WatchedWindows, false_alarms: float) -> list[SeriesChange]:
    """Of the series that all steps have; the chance of a false one is divided by their number."""
    ends = seen.ticks.starts[1:]
    together = -(-len(ends) // _MOST_STEPS) or 1
    starts = [0, *ends[together - 1 :: together].tolist()]
    parts = [seen.stream.part(slice(start, end)) for start, end in pairwise(starts)]
    if len(parts) < _LEAST_STEPS:
        return []
    rows = np.array([_series(part) for part in parts])
    chance = false_alarms / rows.shape[1]
    windows = [*seen.before, *seen.windows]
    found = []
    for name, values in zip(_NAMES, rows.T, strict=True):
        if np.isnan(values).any():
            continue
        for change in change_points(values, false_alarms=chance, shuffles=max(999, math.ceil(1 / chance))):
            first = starts[change.start]
            window = next((place for place, one in enumerate(windows) if one.end > first), len(windows))
            place = {"series": name, "window": window, "step": step_of(seen.stream.step[first])}
            found.append(SeriesChange(**place, before=change.before, after=change.after, p_value=change.p_value))
    return found


_NAMES = ("reward", "length", "accepted", "zero_variance", "invalid", "missing")


def _series(part: RecordStream) -> list[float]:
    flat, groups = flat_groups(part)
    shares = [np.mean([one is not None and one.startswith(kind) for one in part.cause]) for kind in _NAMES[-2:]]
    means = [_mean(one) for one in (part.reward, part.length, part.accepted)]
    return [*means, flat / groups if groups else math.nan, *(float(share) for share in shares)]


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan
