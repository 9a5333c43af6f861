"""Items that are in no worker: in order of arrival, and apart from them the suspects, who run alone.

Items whose callers have left are dropped unseen.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.scoring.cpu.ending import Cause
from trueward.types import Verdict

CHUNK_S = 0.01
CHUNK_ITEMS = 64


@dataclass(eq=False, slots=True)
class Item:
    """One task on its way; ``causes`` are those that ended a worker under it."""

    packed: bytes
    verdict: asyncio.Future[Verdict]
    causes: set[Cause] = field(default_factory=set)

    @property
    def wanted(self) -> bool:
        return not self.verdict.done()

    def settle(self, verdict: Verdict) -> None:
        """Does nothing where the caller has left."""
        if self.wanted:
            self.verdict.set_result(verdict)


class Queue:
    """First in, first out, but what comes back from a worker goes to the front."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._waiting: OrderedDict[Item, None] = OrderedDict()
        self._suspects: deque[Item] = deque()
        self._mean_s = 1e-3

    def __len__(self) -> int:
        return len(self._waiting) + sum(item.wanted for item in self._suspects)

    def __iter__(self) -> Iterator[Item]:
        return iter([*self._waiting, *self._suspects])

    def append(self, item: Item) -> None:
        self._waiting[item] = None

    def discard(self, item: Item) -> None:
        self._waiting.pop(item, None)

    def put_back(self, items: list[Item]) -> None:
        for item in reversed(items):
            if item.wanted:
                self._waiting[item] = None
                self._waiting.move_to_end(item, last=False)

    def suspect(self, item: Item) -> None:
        """``item`` may have ended its worker: it runs once more, alone in a fresh one."""
        self._suspects.append(item)

    def take(self, *, fresh: bool) -> list[Item]:
        """The next chunk for a worker that is free; a fresh one gets the suspects first."""
        while fresh and self._suspects:
            suspect = self._suspects.popleft()
            if suspect.wanted:
                return [suspect]
        items: list[Item] = []
        size = self._chunk_size()
        while self._waiting and len(items) < size:
            item, _ = self._waiting.popitem(last=False)
            if item.wanted:
                items.append(item)
        return items

    def learn(self, elapsed_s: float) -> None:
        """An item took so long."""
        self._mean_s += 0.05 * (elapsed_s - self._mean_s)

    def _chunk_size(self) -> int:
        """A fair share, of no more than some milliseconds: enough to save the way to the pool and back."""
        share = math.ceil(len(self._waiting) / self._workers)
        return max(1, min(CHUNK_ITEMS, share, int(CHUNK_S / max(self._mean_s, 1e-6))))
