"""Samples that are known to be wrong were planted: each acceptance is a false one."""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from trueward.wire.watch import Signals


def canary(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.canary
    planted = watched.canaries
    if threshold is None or not len(planted):
        return []
    accepted = planted.accepted == 1
    if threshold.threshold is not None:
        accepted = planted.reward >= threshold.threshold
    count = int(np.count_nonzero(accepted))
    if count <= threshold.limit:
        return []
    detail = f"{count} of {len(planted)} canaries were accepted, first record {planted.record[accepted][0]}"
    return [Flag("canary", "accepted", None, count, threshold.limit, detail)]
