"""The answers to one prompt become the same: a policy that has found what always pays, or that explores no longer.

It falls slowly in a good run, too; what is found is a fall below what the steps before foretell.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from audits.statistics.trends import Means, detect_shift
from trueward.wire.watch import Signals

LEAST_DEVIATION = 0.02
"""Of a group's share of distinct answers, at least: where all differed so far, nothing is known of the spread."""


def distinct_answers(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.distinct_answers
    if threshold is None:
        return []
    means = distinct_means(watched)
    crossing = detect_shift(
        means, watched.each, threshold.fall, first=watched.first, breaks=watched.ticks.breaks, sides=-1
    )
    if crossing is None:
        return []
    detail = (
        f"{crossing.after:.1%} of the answers of a group differ from its others, "
        f"where the steps before foretell {crossing.before:.1%}{watched.where(crossing, lessons=True)}"
    )
    limit = crossing.before - threshold.fall
    return [Flag("distinct_answers", "group", None, crossing.after, limit, detail, crossing)]


def distinct_means(watched: WatchedWindows) -> Means:
    """Of each lesson and tick the mean over groups of several answers: the share that differ from the first."""
    ticks = watched.ticks
    answers: dict[str, int] = {}
    said = np.array(
        [-1 if one is None else answers.setdefault(one, len(answers)) for one in watched.stream.answer[: ticks.end]],
        np.int64,
    )
    there = said >= 0
    cells = len(ticks.of_cell)
    size = np.bincount(ticks.cell[there], minlength=cells)
    pairs = np.unique(np.stack([ticks.cell[there], said[there]]), axis=1)
    distinct = np.bincount(pairs[0], minlength=cells)
    share = (distinct - 1) / np.maximum(size - 1, 1)
    return ticks.means_of_groups(size > 1, share, LEAST_DEVIATION**2)
