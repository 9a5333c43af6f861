"""What waits for a lane: projects take turns by the seconds of work they were given, over their weights; within a
project requests take turns, one item each, so that a batch of thousands does not keep a single sample waiting.

An item is counted with the seconds that it is thought to take. Not here: who waits how long, and for what.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from app.admission.room import Weights, weigh_equally

T = TypeVar("T", bound=Hashable)


@dataclass(slots=True, eq=False)
class _Request(Generic[T]):
    items: OrderedDict[T, float] = field(default_factory=OrderedDict)
    seconds: float = 0.0


@dataclass(slots=True, eq=False)
class _Line(Generic[T]):
    """The requests of a project; ``passed``: seconds that it was given by turns, over its weight."""

    weight: float
    passed: float = 0.0
    seconds: float = 0.0
    requests: OrderedDict[str, _Request[T]] = field(default_factory=OrderedDict)


class FairQueue(Generic[T]):
    """``seconds``: work that waits."""

    def __init__(self, weights: Weights = weigh_equally) -> None:
        self.seconds = 0.0
        self._weights = weights
        self._lines: dict[str | None, _Line[T]] = {}
        self._places: dict[T, tuple[_Line[T], str]] = {}
        self._clock = 0.0

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._places))

    def append(self, item: T, project: str | None, request: str, seconds: float) -> None:
        line = self._lines.get(project)
        if line is None:
            self._forget_idle()
            line = self._lines[project] = _Line(self._weights(project))
        if not line.requests:
            line.weight = self._weights(project)
            line.passed = max(line.passed, self._clock)
        queue = line.requests.get(request)
        if queue is None:
            queue = line.requests[request] = _Request()
        queue.items[item] = seconds
        self._places[item] = (line, request)
        self._count(line, queue, seconds)

    def discard(self, item: T) -> None:
        """Does nothing where the item does not wait."""
        place = self._places.pop(item, None)
        if place is not None:
            line, request = place
            self._take_out(line, request, item)

    def pop(self) -> T | None:
        """Whose turn it is; None where nothing waits."""
        waiting = [line for line in self._lines.values() if line.requests]
        if not waiting:
            return None
        line = min(waiting, key=lambda one: one.passed) if len(waiting) > 1 else waiting[0]
        request, queue = next(iter(line.requests.items()))
        item = next(iter(queue.items))
        del self._places[item]
        self._clock = line.passed
        line.passed += self._take_out(line, request, item) / line.weight
        if queue.items:
            line.requests.move_to_end(request)
        return item

    def ahead_s(self, project: str | None, seconds: float) -> float:
        """Seconds of work that turns would put before the end of a new request's, which is so many seconds itself."""
        line = self._lines.get(project)
        own = sum(min(one.seconds, seconds) for one in line.requests.values()) if line is not None else 0.0
        weight = self._weights(project)
        work = (own + seconds) / weight
        return own + sum(min(one.seconds, work * one.weight) for one in self._lines.values() if one is not line)

    def _take_out(self, line: _Line[T], request: str, item: T) -> float:
        queue = line.requests[request]
        seconds = queue.items.pop(item)
        self._count(line, queue, -seconds)
        if not queue.items:
            del line.requests[request]
        if not self._places:
            self.seconds = 0.0  # what rounding has left
        if not line.requests:
            line.seconds = 0.0
        return seconds

    def _count(self, line: _Line[T], queue: _Request[T], seconds: float) -> None:
        queue.seconds += seconds
        line.seconds += seconds
        self.seconds += seconds

    def _forget_idle(self) -> None:
        """Of projects without work nothing is kept once others have had as much as they."""
        for project, line in list(self._lines.items()):
            if not line.requests and line.passed <= self._clock:
                del self._lines[project]
