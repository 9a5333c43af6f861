"""Runs a batch of what is read, and keeps what goes wrong to the items that it concerns.

A batch that does not fit in memory is halved, down to single items; one that fails otherwise is run again item by item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

from judges.base import ModelFailure, ModelUnavailable, NotFinite, TooLong
from judges.engine.item import Item
from judges.engine.work import DeviceLost, Loaded, OutOfMemory, Row, Work
from judges.questions import Answer

Result = Answer | ModelFailure | TooLong
Results = list[tuple[Item, Result]]


@dataclass(slots=True)
class Batch:
    """Runs items of one model. ``make_room`` frees memory that others hold; False where there was none.

    ``splits``: how often memory ran out.
    """

    loaded: Loaded
    make_room: Callable[[], bool]
    splits: int = 0

    def results(self, items: Sequence[Item]) -> Results:
        """Each item with what became of it; they are encoded. Raises :class:`DeviceLost`."""
        return self._run([(item, item.work) for item in items if item.work is not None])

    def _run(self, pairs: Sequence[tuple[Item, Work]]) -> Results:
        try:
            rows = self.loaded.run([work for _, work in pairs])
            return [(item, self._answer(work, its)) for (item, work), its in zip(pairs, rows, strict=True)]
        except DeviceLost:
            raise
        except OutOfMemory:
            self.splits += 1
            if len(pairs) == 1 and not self.make_room():
                return [(item, too_large(item)) for item, _ in pairs]
            half = (len(pairs) + 1) // 2
            parts = [part for part in (pairs[:half], pairs[half:]) if part]
        except Exception as failure:  # noqa: BLE001 - models are foreign code; whose fault it was shows when each runs alone
            if len(pairs) == 1:
                return [(item, wrap_failure(failure)) for item, _ in pairs]
            parts = [[pair] for pair in pairs]
        # not within `except`: the exception holds the tensors of the batch that failed
        return [result for part in parts for result in self._run(part)]

    def _answer(self, work: Work, rows: Sequence[Row]) -> Result:
        if not all(isfinite(value) for row in rows for value in row):
            return NotFinite("the model said NaN or infinity of this text")
        try:
            return self.loaded.answer(work, rows)
        except ModelFailure as failure:
            return failure
        except Exception as failure:  # noqa: BLE001 - one item's answer must not cost the others theirs
            return wrap_failure(failure)


def too_large(item: Item) -> ModelUnavailable:
    """What becomes of an item for which memory runs out though it is alone."""
    return ModelUnavailable(f"a text of {item.tokens} tokens alone does not fit in the device's memory")


def wrap_failure(failure: Exception) -> ModelFailure:
    """What becomes of an item that a model, which is foreign code, fails on though it is alone."""
    return ModelFailure(f"{type(failure).__name__}: {str(failure)[:300]}")
