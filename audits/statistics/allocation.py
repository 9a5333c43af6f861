"""How many responses of each cell to label next, so that one error rate of a run is known as well as somebody asks.

A cell is what verifiers, and features, say of a response: its size is known, its share of members (of truly wrong
responses, for false positives) is not. Labels go where they narrow the interval most (Neyman 1934, for a ratio
linearised): to large cells whose share is uncertain, and to the verdict that makes an error.

Labels come in batches, and one looks at finished batches alone. The k-th look has an interval of the level
``level_of(k)``; what all looks may be wrong together adds up to ``1 - level``, so the intervals hold at all looks at
once, however many there are (a confidence sequence over batches, by the union of their errors; arXiv 2010.09686 has
narrower ones where one looks after every label). The sizes of later batches follow from labels of earlier ones;
``python -m benchmarks.coverage`` simulates that, stopping included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audits.statistics.arrays import Floats
from audits.statistics.frame import FEWEST
from audits.statistics.interval_ends import Estimated, ends, share_of, total

_FIRST, _LATER, _SMALLER = 0.5, 0.25, 0.5
"""Shares of the error that the first look, the second, and each one after it in proportion to that before, may make."""
_MARGIN = 0.99
"""A batch aims at this share of what is asked for: rates that are found later differ from what is known now."""
_GROWTH, _MOST_GROWTH = 1.15, 2.5
"""By how much a batch multiplies the labels at least and at most: what is known now is little at first."""
_PRIOR = 0.25
"""Members, and others, that a cell is taken to have had before its labels."""
_STEPS = 40
_LEAST = 2 * FEWEST
"""Responses of a cell that are drawn at least, as far as it has them."""


@dataclass(frozen=True, slots=True)
class Cells:
    """K cells. ``error`` is 1 where a member of it is an error, else 0; ``units`` are different responses, which stand
    for ``records``, and ``squares`` is the sum of these numbers squared; of ``labels`` units the truth is known, and
    ``members`` of these are of the kind in question."""

    error: Floats
    units: Floats
    records: Floats
    squares: Floats
    labels: Floats
    members: Floats


@dataclass(frozen=True, slots=True)
class Target:
    """``width`` of the interval, or a ``limit`` that it has to lie on one side of."""

    width: float | None = None
    limit: float | None = None

    def is_reached(self, low: float, high: float) -> bool:
        if self.width is not None:
            return high - low <= self.width
        return self.limit is not None and (high < self.limit or low > self.limit)


def level_of(look: int, level: float) -> float:
    """The level of the interval at one look, from 1 on."""
    share = _FIRST if look == 1 else _LATER * _SMALLER ** (look - 2)
    return 1 - (1 - level) * share


def pilot(cells: Cells, expected: Floats, size: int) -> Floats:
    """K probabilities for the first batch of about ``size``; ``expected`` are the shares of members that are thought
    likely before anything is known."""
    return np.minimum(np.maximum(_spread(cells, expected) * size, _LEAST) / cells.units, 1.0)


def top_up(cells: Cells, before: Floats, target: Target, level: float) -> Floats:
    """K probabilities that draw what those ``before`` drew, and as much more as the target needs at this level, by what
    is known now."""
    share = (cells.members + _PRIOR) / (cells.labels + 2 * _PRIOR)
    now = before * cells.units
    towards = _spread(cells, share)
    rate = _rate(cells, share)

    def drawn(size: float) -> Floats:
        return np.minimum(np.maximum(np.maximum(towards * size, now), _LEAST), cells.units)

    low, high = float(now.sum()), _MOST_GROWTH * float(now.sum())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = _met(_predicted(cells, share, drawn(middle), level), rate, target)
        low, high = (low, middle) if enough else (middle, high)
    size = drawn(high)
    if size.sum() < _GROWTH * now.sum():
        size = np.minimum(size * _GROWTH * now.sum() / size.sum(), cells.units)
    chance: Floats = np.minimum(np.maximum(size / cells.units, before), 1.0)
    return chance


def _met(found: Estimated, rate: float, target: Target) -> bool:
    if target.width is not None:
        return found.high - found.low <= _MARGIN * target.width
    assert target.limit is not None
    near = (1 - _MARGIN) * (target.limit - rate)
    return found.high < target.limit - near if rate < target.limit else found.low > target.limit - near


def _rate(cells: Cells, share: Floats) -> float:
    members = cells.records * share
    return float(members @ cells.error) / max(float(members.sum()), 1e-300)


def _spread(cells: Cells, share: Floats) -> Floats:
    """Which part of the labels each cell gets."""
    wanted = cells.records * np.sqrt(share * (1 - share)) * np.abs(cells.error - _rate(cells, share))
    return wanted / max(float(wanted.sum()), 1e-300)


def _predicted(cells: Cells, share: Floats, drawn: Floats, level: float) -> Estimated:
    """The interval with so many labels of each cell, if the shares are what they seem."""
    left = np.maximum(1 - drawn / cells.units, 1e-9)
    # as a frame's strata count: what has no label, and the share that it is taken to have
    independent = drawn * cells.records**2 / (cells.units * cells.squares)
    worth = cells.records**2 / (left * cells.squares + (left * cells.records) ** 2 / independent)
    found = ends(share * worth, worth, level)
    parts = []
    for kind in (1, 0):
        here = cells.error == kind
        size = cells.records[here]
        parts.append(total(size * share[here], size * found.low[here], size * found.high[here]))
    return share_of(*parts)
