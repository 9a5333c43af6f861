"""The steps of a stream, after each of which the sequential tests look: whole ones, or blocks where there are none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from app.watch.stream import NO_STEP, RecordStream
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.sequential import StratumCounts
from audits.statistics.trends import Means

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
    end the number of its group, lesson and tick, ``of_cell`` the tick of each of those, ``stratum`` and ``lesson``
    theirs. ``breaks``: for each tick the first one that no unread steps lie between."""

    starts: Ints
    first_step: Ints
    last_step: Ints
    cell: Ints
    of_cell: Ints
    stratum: Ints
    lesson: Ints
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

    def counts(self, hits: Bools, trials: Bools, strata: int = 1) -> StratumCounts:
        """Of a stream's records, those of ``hits`` among ``trials``, by data source; ``strata``: at least so many."""
        counted = trials[: self.end]
        struck = hits[: self.end] & counted
        size = len(self.of_cell)
        n = np.bincount(self.cell, counted, minlength=size)
        h = np.bincount(self.cell, struck, minlength=size)
        columns = (h, n, h * h, h * n, n * n)
        return StratumCounts(np.stack([self._by_step(self.stratum, one, strata) for one in columns], axis=1))

    def shares(self, hits: Bools) -> tuple[Floats, Ints]:
        """Of each group the share of its records that hit, and its tick."""
        size = len(self.of_cell)
        share: Floats = np.bincount(self.cell, hits[: self.end], minlength=size) / np.bincount(
            self.cell, minlength=size
        )
        return share, self.of_cell

    def means(self, values: Floats) -> Means:
        """Of a stream's values by lesson; NaN where there is none."""
        used = values[: self.end]
        there = ~np.isnan(used)
        known, cell = used[there], self.cell[there]
        size = np.bincount(cell, minlength=len(self.of_cell)).astype(np.float64)
        total, square = (np.bincount(cell, one, minlength=len(size)) for one in (known, known**2))
        records = self._by_step(self.lesson, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self._by_step(self.lesson, total) / records
        groups = self._by_step(self.lesson, size > 0)
        # that of the records around their step's mean: steps may differ
        per_group = records.sum(axis=1) / np.maximum(groups.sum(axis=1), 1.0)
        around = (self._by_step(self.lesson, square) - np.nan_to_num(records * mean**2)).sum(axis=1)
        least = np.maximum(around, 0.0) / np.maximum(records.sum(axis=1), 1.0) / np.maximum(per_group, 1.0)
        of_group = np.divide(total, size, out=np.zeros(len(size)), where=size > 0)
        return replace(self.means_of_groups(size > 0, of_group), mean=mean, least_variance=least)

    def means_of_groups(self, there: Bools, values: Floats, least_variance: float = 0.0) -> Means:
        """Of one value a cell, by lesson: groups count alike."""
        used = np.where(there, values, 0.0)
        groups, sums, squares = (self._by_step(self.lesson, one) for one in (there, used, used**2))
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = sums / groups
        spread = np.maximum(squares - np.nan_to_num(groups * mean**2), 0.0).sum(axis=1)
        variance = spread / np.maximum(np.maximum(groups - 1, 0.0).sum(axis=1), 1.0)
        return Means(mean, groups, variance, np.full(len(mean), least_variance))

    def _by_step(self, kind: Ints, values: ArrayLike, least: int = 1) -> Floats:
        """Sums over cells, by their stratum or lesson; shape S x T."""
        kinds, size = max(int(kind.max(initial=0)) + 1, least), len(self)
        summed = np.bincount(kind * size + self.of_cell, values, minlength=kinds * size)
        return np.asarray(summed, dtype=np.float64).reshape(kinds, size)

    def find_after(self, records: int) -> int:
        """The first tick that holds none of the first ``records`` records."""
        return int(np.searchsorted(self.starts[:-1], records, "left"))


def ticks(stream: RecordStream) -> Ticks:
    """Those of a stream in order."""
    ends = _ends(stream)
    starts = np.concatenate([[0], ends]).astype(np.int64)
    used = int(starts[-1])
    tick = np.repeat(np.arange(len(ends)), np.diff(starts))
    key = [tick, stream.group[:used], stream.lesson[:used], stream.stratum[:used]]
    cells, cell = np.unique(np.stack(key), axis=1, return_inverse=True)
    first, last = stream.step[starts[:-1]], stream.step[starts[1:] - 1] if len(ends) else np.zeros(0, np.int64)
    of_cell, lesson, stratum = (cells[row].astype(np.int64) for row in (0, 2, 3))
    return Ticks(starts, first, last, cell.reshape(-1), of_cell, stratum, lesson, _breaks(first, last))


def _ends(stream: RecordStream) -> Ints:
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
