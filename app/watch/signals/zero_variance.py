"""Groups whose rewards are equal teach nothing; when nearly all are, the run stands still.

A group is one trial, in the step of its last record. The limit is absolute, so the first steps are looked at, too.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.stream import RecordStream
from audits.statistics.arrays import Bools, Ints, codes
from audits.statistics.betting import detect_mean_above
from trueward.wire.watch import Signals


def zero_variance(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.zero_variance
    if threshold is None:
        return []
    ticks = watched.ticks
    flat, last = _groups(watched.stream.part(slice(0, ticks.end)))
    crossing = detect_mean_above(flat.astype(np.float64), ticks.tick[last], len(ticks), watched.each, threshold.limit)
    if crossing is None:
        return []
    detail = f"{crossing.after:.1%} of the groups have equal rewards, surely above {threshold.limit:.1%}"
    return [Flag("zero_variance", "groups", None, crossing.after, threshold.limit, detail, crossing)]


def flat_groups(stream: RecordStream) -> tuple[int, int]:
    """How many groups of two rewards or more have equal ones, and how many there are."""
    flat, _ = _groups(stream)
    return int(flat.sum()), len(flat)


def _groups(stream: RecordStream) -> tuple[Bools, Ints]:
    """Of each group of two rewards or more whether they are equal, and the place of the last of them."""
    there = np.flatnonzero(~np.isnan(stream.reward))
    if not len(there):
        return np.zeros(0, bool), np.zeros(0, np.int64)
    paid, group = stream.reward[there], codes("group", stream.group[there])
    size = int(group.max()) + 1
    low, high, last = np.full(size, np.inf), np.full(size, -np.inf), np.zeros(size, np.int64)
    np.minimum.at(low, group, paid)
    np.maximum.at(high, group, paid)
    np.maximum.at(last, group, there)
    several = np.bincount(group, minlength=size) > 1
    return (low == high)[several], last[several]
