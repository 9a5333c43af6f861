"""A component, or the reward itself, that never was another number: it teaches nothing, and often is a mistake.

Not a test of a rate: from so many records on, all of them equal, it is said.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.stream import RecordStream
from audits.statistics.arrays import Floats
from trueward.wire.watch import Signals

LEAST_GROUPS = 8
"""Groups that must have shown it: one hard prompt is no constant."""


def constant(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.constant_component
    if threshold is None:
        return []
    series = {f"scores of {name}": (name, values) for name, values in sorted(watched.stream.scores.items())}
    series["the reward"] = ("reward", watched.stream.reward)
    flags = []
    for what, (cause, values) in series.items():
        value = _only(watched.stream, values, threshold.records)
        if value is not None:
            detail = f"{what} {'are' if what.startswith('scores') else 'is'} {value:g} in every record of the run"
            flags.append(Flag("constant_component", cause, None, value, None, detail))
    # a reward of one term is that term
    return flags[-1:] if len(flags) == 2 and flags[-1].cause == "reward" else flags


def _only(stream: RecordStream, values: Floats, records: int) -> float | None:
    known = ~np.isnan(values)
    if known.sum() < records or len(np.unique(stream.group[known])) < LEAST_GROUPS:
        return None
    first = values[known][0]
    return float(first) if (values[known] == first).all() else None
