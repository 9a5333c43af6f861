"""The steps of a stream, after each of which the sequential tests look: whole ones, or blocks where there are none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.watch.stream import NO_STEP, Stream
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.sequential import Counts, Means

LEAST = 16
"""Records of a tick: smaller steps are taken together."""
BLOCK = 64
"""Records of a tick where no record names a step."""
MOST = 2000
"""Ticks of a stream; of a longer one they are larger."""
WHOLE = 0.9
"""Of the usual size of a step: a last one that is smaller is still being recorded, and is not looked at yet."""
GAP = 8
"""Usual distances between steps that two neighbours must be apart for steps in between to count as not read."""


@dataclass(frozen=True, slots=True)
class Ticks:
    """``starts``: the first record of each of T ticks, and the end of the last; ``cell``: for each record before that
    end the number of its group and tick, ``of_cell`` the tick of each of those. ``breaks``: for each tick the first
    one that no unread steps lie between."""

    starts: Ints
    first_step: Ints
    last_step: Ints
    cell: Ints
    of_cell: Ints
    breaks: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def end(self) -> int:
        """Records in the ticks."""
        return int(self.starts[-1])

    @property
    def tick(self) -> Ints:
        """Of each record before ``end``."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def counts(self, hits: Bools, trials: Bools) -> Counts:
        """Of a stream's records, those of ``hits`` among ``trials``."""
        counted = trials[: self.end]
        struck = hits[: self.end] & counted
        size = len(self.of_cell)
        n = np.bincount(self.cell, counted, minlength=size)
        h = np.bincount(self.cell, struck, minlength=size)
        columns = (h, n, h * h, h * n, n * n)
        return Counts(np.stack([np.bincount(self.of_cell, one, minlength=len(self)) for one in columns]))

    def means(self, values: Floats) -> Means:
        """Of a stream's values; NaN where there is none."""
        used = values[: self.end]
        there = ~np.isnan(used)
        known, tick = used[there], self.tick[there]
        size = np.bincount(tick, minlength=len(self))
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.bincount(tick, known, minlength=len(self)) / size
        groups = np.bincount(self.of_cell[np.unique(self.cell[there])], minlength=len(self)).astype(np.float64)
        # that of the records around their step's mean: steps may differ
        around = known - mean[tick]
        per_group = len(known) / max(float(groups.sum()), 1.0)
        least = float(around.var()) / max(per_group, 1.0) if len(known) else 0.0
        return Means(mean, groups, least)

    def after(self, records: int) -> int:
        """The first tick that holds none of the first ``records`` records."""
        return int(np.searchsorted(self.starts[:-1], records, "left"))


def ticks(stream: Stream) -> Ticks:
    """Those of a stream in order."""
    ends = _ends(stream)
    starts = np.concatenate([[0], ends]).astype(np.int64)
    used = int(starts[-1])
    tick = np.repeat(np.arange(len(ends)), np.diff(starts))
    pairs = np.stack([tick, stream.group[:used]]) if used else np.zeros((2, 0), np.int64)
    cells, cell = np.unique(pairs, axis=1, return_inverse=True)
    first, last = stream.step[starts[:-1]], stream.step[starts[1:] - 1] if len(ends) else np.zeros(0, np.int64)
    return Ticks(starts, first, last, cell.reshape(-1), cells[0].astype(np.int64), _breaks(first, last))


def _ends(stream: Stream) -> Ints:
    size = max(LEAST, -(-len(stream) // MOST))
    changes = np.flatnonzero(np.diff(stream.step)) + 1
    if not len(changes):
        return np.arange(max(BLOCK, size), len(stream) + 1, max(BLOCK, size))
    bounds = [*changes.tolist(), len(stream)]
    usual = float(np.median(np.diff([0, *bounds[:-1]])))
    if len(bounds) > 2 and bounds[-1] - bounds[-2] < WHOLE * usual:
        bounds.pop()
    ends: list[int] = []
    start = 0
    for end in bounds:
        if end - start >= size:
            ends.append(end)
            start = end
    return np.array(ends, np.int64)


def _breaks(first: Ints, last: Ints) -> Ints:
    """A distance between neighbours far above the usual one is where steps were left out."""
    if len(first) < 2 or (first == NO_STEP).any():
        return np.zeros(len(first), np.int64)
    apart = first[1:] - last[:-1]
    jumps = np.concatenate([[False], apart > GAP * max(float(np.median(apart)), 1.0)])
    found: Ints = np.maximum.accumulate(np.where(jumps, np.arange(len(first)), 0))
    return found
