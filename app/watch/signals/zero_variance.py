"""Groups whose rewards are equal teach nothing; when nearly all are, the run stands still."""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.stream import RecordStream
from audits.statistics.arrays import codes
from audits.statistics.proportion import wilson
from trueward.wire.watch import Signals


def zero_variance(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.zero_variance
    if threshold is None:
        return []
    flags = []
    for place, window in enumerate(watched.windows):
        flat, groups = flat_groups(window.part)
        if groups and wilson(flat, groups, watched.level).low > threshold.limit:
            detail = f"{flat} of {groups} groups have equal rewards"
            flags.append(Flag("zero_variance", "groups", place, flat / groups, threshold.limit, detail))
    return flags


def flat_groups(stream: RecordStream) -> tuple[int, int]:
    """How many groups of two rewards or more have equal ones, and how many there are."""
    there = ~np.isnan(stream.reward)
    if not there.any():
        return 0, 0
    paid, group = stream.reward[there], codes("group", stream.group[there])
    size = int(group.max()) + 1
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, group, paid)
    np.maximum.at(high, group, paid)
    several = np.bincount(group, minlength=size) > 1
    return int(np.count_nonzero(several & (low == high))), int(several.sum())
