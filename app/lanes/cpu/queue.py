"""Items that are in no worker: in fair turns, and apart from them those that come back and those that run alone.

The turns are those of :mod:`app.admission.fair_queue`. Those that come back from a worker go first; the suspects run
alone.

Items whose callers have left are dropped unseen.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.admission.fair_queue import FairQueue
from app.admission.room import Weights, weigh_equally
from app.lanes.cpu.ending import Cause
from trueward.wire.verdict import Verdict

CHUNK_S = 0.01
CHUNK_ITEMS = 64


@dataclass(eq=False, slots=True)
class QueuedTask:
    """One task on its way since ``came`` (performance counter); ``causes`` are those that ended a worker under it."""

    packed: bytes
    verdict: asyncio.Future[Verdict]
    came: float = 0.0
    causes: set[Cause] = field(default_factory=set)

    @property
    def wanted(self) -> bool:
        return not self.verdict.done()

    def settle(self, verdict: Verdict) -> None:
        """Does nothing where the caller has left."""
        if self.wanted:
            self.verdict.set_result(verdict)


class TaskQueue:
    """By turns between projects and requests, but what comes back from a worker goes to the front."""

    def __init__(self, workers: int, weights: Weights = weigh_equally) -> None:
        self.turns: FairQueue[QueuedTask] = FairQueue(weights)
        self._workers = workers
        self._returned: deque[QueuedTask] = deque()
        self._suspects: deque[QueuedTask] = deque()
        self._mean_s = 1e-3

    def __len__(self) -> int:
        return len(self.turns) + sum(item.wanted for item in (*self._returned, *self._suspects))

    def __iter__(self) -> Iterator[QueuedTask]:
        return iter([*self._returned, *self.turns, *self._suspects])

    def append(self, item: QueuedTask, project: str | None = None, request: str = "", seconds: float = 1e-3) -> None:
        """Behind what the same request has here; it is thought to take so many seconds."""
        self.turns.append(item, project, request, seconds)

    def discard(self, item: QueuedTask) -> None:
        self.turns.discard(item)

    def put_back(self, items: list[QueuedTask]) -> None:
        self._returned.extendleft(item for item in reversed(items) if item.wanted)

    def suspect(self, item: QueuedTask) -> None:
        """``item`` may have ended its worker: it runs once more, alone in a fresh one."""
        self._suspects.append(item)

    def take(self, *, fresh: bool) -> list[QueuedTask]:
        """The next chunk for a worker that is free; a fresh one gets the suspects first."""
        while fresh and self._suspects:
            suspect = self._suspects.popleft()
            if suspect.wanted:
                return [suspect]
        items: list[QueuedTask] = []
        size = self._chunk_size()
        while len(items) < size and (item := self._next()) is not None:
            if item.wanted:
                items.append(item)
        return items

    def _next(self) -> QueuedTask | None:
        return self._returned.popleft() if self._returned else self.turns.pop()

    def learn(self, elapsed_s: float) -> None:
        """An item took so long."""
        self._mean_s += 0.05 * (elapsed_s - self._mean_s)

    def _chunk_size(self) -> int:
        """A fair share, of no more than some milliseconds: enough to save the way to the pool and back."""
        share = math.ceil((len(self.turns) + len(self._returned)) / self._workers)
        return max(1, min(CHUNK_ITEMS, share, int(CHUNK_S / max(self._mean_s, 1e-6))))
