"""The windows of a stream: whole steps until a window has enough records, or blocks where there are no steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.watch.stream import NO_STEP, RecordStream

MOST = 100
"""Windows that are looked at. A longer stream has larger ones, so that the number of looks is bounded."""


@dataclass(frozen=True, slots=True)
class RecordWindow:
    """Records ``start`` to ``end`` (exclusive) of a stream."""

    start: int
    end: int
    part: RecordStream

    @property
    def first_step(self) -> int | None:
        return step_of(self.part.step.min())

    @property
    def last_step(self) -> int | None:
        return step_of(self.part.step.max())

    @property
    def record(self) -> str:
        """The latest record."""
        return str(max(self.part.record))


def windows(stream: RecordStream, size: int, most: int = MOST) -> list[RecordWindow]:
    """Consecutive windows of ``size`` records or more, at most ``most``; the records left at the end wait for more."""
    size = max(size, -(-len(stream) // most))
    changes = np.flatnonzero(np.diff(stream.step)) + 1
    ends = [*changes.tolist(), len(stream)] if len(changes) else range(size, len(stream) + 1, size)
    found: list[RecordWindow] = []
    start = 0
    for end in ends:
        if end - start >= size:
            found.append(RecordWindow(start, end, stream.part(slice(start, end))))
            start = end
    return found


def step_of(value: np.int64) -> int | None:
    """None where the records name none."""
    return None if value == NO_STEP else int(value)
