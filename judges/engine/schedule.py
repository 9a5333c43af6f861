"""The queue of one device over all its models: which model is next, and which items are its batch.

Pure: no torch, no clock. Callers take turns by start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996): an item's
tag is the virtual time at its arrival plus the tokens of its own flow's work ahead of it, and the smallest tag is
next; so a lone request behind another caller's thousands is in the next batch or the one after. Virtual time moves
with every batch by the tokens that were due, shared among the flows that wait: no tag stays behind new ones for ever.

With the first item go those of the same prompt, so that the prompt can be computed once, then the next in turn; where
a batch is padded, those of about its length. What is written and what is read never share a batch, and while texts are
written others can be read ``between`` two tokens. Weights that move are fences: what was asked before one is answered
before it. Not here: what waits for newer weights than there are, and the texts themselves.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice, takewhile
from math import inf

from judges.base import ModelBusy
from judges.engine.item import Item

WINDOW = 512
"""Items that a padded batch chooses its neighbours in length from."""
MISSES = 32
"""A batch is full when so many items in a row did not fit."""


@dataclass(slots=True)
class Room:
    """What fits into a batch of ``limit`` tokens: the first text always, more while their cost stays within it.

    ``cost`` is the tokens that are computed: their sum where they are packed, else the longest times their number.
    """

    limit: int
    packed: bool
    texts: int = 0
    total: int = 0
    longest: int = 0

    @property
    def cost(self) -> int:
        return self.total if self.packed else self.longest * self.texts

    def admits(self, tokens: int) -> bool:
        """Whether a text of that length fits too; if so it is in."""
        room = Room(self.limit, self.packed, self.texts + 1, self.total + tokens, max(self.longest, tokens))
        if self.texts and room.cost > self.limit:
            return False
        self.texts, self.total, self.longest = room.texts, room.total, room.longest
        return True


@dataclass(slots=True)
class _Flow:
    """``finish``: the tag of its next item, unless virtual time is past it."""

    finish: float = 0.0
    waiting: int = 0


@dataclass(slots=True)
class _Line:
    """A model's items by fence and tag, and by prompt."""

    items: list[Item] = field(default_factory=list)
    mates: dict[Hashable, dict[Item, None]] = field(default_factory=dict)
    fence: int = 0

    def add(self, item: Item) -> None:
        insort(self.items, item, key=_order)
        if item.prompt is not None:
            self.mates.setdefault(item.prompt, {})[item] = None

    def remove(self, item: Item) -> None:
        del self.items[bisect_left(self.items, _order(item), key=_order)]
        if item.prompt is not None:
            mates = self.mates[item.prompt]
            del mates[item]
            if not mates:
                del self.mates[item.prompt]

    def iter_companions(self, first: Item) -> Iterator[Item]:
        """What may go with ``first``: before the next fence, in order, each followed by those of its prompt."""
        prompts = set[Hashable]()
        for item in takewhile(lambda item: item.fence == first.fence, self.items):
            if item.prompt is None:
                group: Collection[Item] = (item,)
            elif item.prompt not in prompts:
                prompts.add(item.prompt)
                group = (item, *(mate for mate in self.mates[item.prompt] if mate is not item))
            else:
                continue
            yield from (mate for mate in group if _goes_with(mate, first))

    def read_next(self) -> Item | None:
        """The first that is only read, of those before the next fence."""
        first = self.items[0].fence if self.items else 0
        return next((item for item in takewhile(lambda item: item.fence == first, self.items) if not item.writes), None)


class Schedule:
    """``batch_tokens``: cost of a batch at most, but for a single item that alone is longer; ``queue_tokens``: tokens
    that may wait."""

    def __init__(self, *, batch_tokens: int, queue_tokens: int) -> None:
        self.batch_tokens = batch_tokens
        self.queue_tokens = queue_tokens
        self.tokens = 0
        self._virtual = 0.0
        self._turns = count(1)
        self._waiting: dict[int, Item] = {}
        self._flows: dict[str, _Flow] = {}
        self._lines: defaultdict[str, _Line] = defaultdict(_Line)
        self._deadlines: list[tuple[float, int]] = []
        self._resident: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._waiting.values())

    def add(self, item: Item) -> None:
        """Raises :class:`ModelBusy` where the queue is full; an empty queue takes anything."""
        if self._waiting and self.tokens + item.estimate > self.queue_tokens:
            raise ModelBusy(f"{self.tokens} tokens wait for the device already; at most {self.queue_tokens} may")
        flow = self._flows.setdefault(item.flow, _Flow())
        item.fence, item.tag, item.turn = (
            self._lines[item.model].fence,
            max(self._virtual, flow.finish),
            next(self._turns),
        )
        flow.finish = item.tag + item.estimate
        self._enter(item)

    def put_back(self, items: Iterable[Item]) -> None:
        """Items that were taken and did not fit after all: where they were."""
        for item in items:
            self._flows.setdefault(item.flow, _Flow(item.tag + item.estimate))
            self._enter(item)

    def drop(self, item: Item) -> bool:
        """A cancelled item leaves, and its flow need not pay for it; False where it does not wait."""
        if item.turn not in self._waiting:
            return False
        self._flows[item.flow].finish -= item.estimate
        self._leave(item)
        return True

    def expire(self, now: float) -> list[Item]:
        """Takes out the items whose deadline has passed."""
        expired = []
        while self._deadlines and self._deadlines[0][0] <= now:
            _, turn = heapq.heappop(self._deadlines)
            if turn in self._waiting:
                expired.append(self._waiting[turn])
                self.drop(expired[-1])
        return expired

    def drain(self, model: str) -> list[Item]:
        """Takes out all items of a model."""
        items = list(self._lines[model].items)
        for item in items:
            self.drop(item)
        return items

    def fence(self, model: str) -> int:
        """From here on items of the model wait until those before have been taken."""
        self._lines[model].fence += 1
        return self._lines[model].fence

    def has_reached(self, model: str, fence: int) -> bool:
        """Whether no item of the model from before the fence waits any more."""
        items = self._lines[model].items
        return not items or items[0].fence >= fence

    def choose(self, now: float, resident: Collection[str], *, patience_s: float = 0.0) -> str | None:
        """The model that is next: that of the smallest tag.

        Until ``patience_s`` after a model came into memory those there go before others, which have to be loaded.
        """
        self._resident = {name: self._resident.get(name, now) for name in resident}
        settled = now - max(self._resident.values(), default=-inf) >= patience_s
        tags = {name: line.items[0].tag for name, line in self._lines.items() if line.items}
        ready = [name for name in tags if name in self._resident]
        return min(tags if settled else ready or tags, key=tags.__getitem__, default=None)

    def find_next_read(self, resident: Collection[str]) -> Item | None:
        """The next that is only read, of these models."""
        found = [item for name in resident if (item := self._lines[name].read_next()) is not None]
        return min(found, key=lambda item: item.tag, default=None)

    def take(self, model: str, *, packed: bool, limit: int | None = None, between: Item | None = None) -> list[Item]:
        """The next batch of a model, which must have items that wait: first the one whose turn it is.

        ``limit``: its tokens, where they are fewer than ``batch_tokens``; what is written is padded. ``between``: the
        batch begins with this one, which :meth:`find_next_read` gave.
        """
        line = self._lines[model]
        first = between or line.items[0]
        room = Room(limit or self.batch_tokens, packed and not first.writes)
        chosen = [first] if first.alone else self._fill(line, first, room)
        alike = (item for item in line.items if item.writes == first.writes)
        due = sum(item.estimate for item in takewhile(set(chosen).__contains__, alike))
        active = sum(flow.waiting > 0 for flow in self._flows.values())
        self._virtual = max(self._virtual, first.tag) + due / active
        for item in chosen:
            self._leave(item)
        self._flows = {name: flow for name, flow in self._flows.items() if flow.waiting or flow.finish > self._virtual}
        return chosen

    def _fill(self, line: _Line, first: Item, room: Room) -> list[Item]:
        chosen, misses = [first], 0
        room.admits(first.tokens)
        for item in (
            line.iter_companions(first)
            if room.packed
            else _by_length(first, islice(line.iter_companions(first), WINDOW))
        ):
            if room.admits(item.tokens):
                chosen.append(item)
                misses = 0
            elif (misses := misses + 1) >= MISSES:
                break
        return chosen

    def _enter(self, item: Item) -> None:
        self._waiting[item.turn] = item
        self.tokens += item.estimate
        self._flows[item.flow].waiting += 1
        self._lines[item.model].add(item)
        if item.deadline < inf:
            heapq.heappush(self._deadlines, (item.deadline, item.turn))

    def _leave(self, item: Item) -> None:
        del self._waiting[item.turn]
        self.tokens -= item.estimate
        self._flows[item.flow].waiting -= 1
        self._lines[item.model].remove(item)


def _goes_with(item: Item, first: Item) -> bool:
    return item is not first and not item.alone and (item.fence, item.writes) == (first.fence, first.writes)


def _order(item: Item) -> tuple[int, float, int]:
    return item.fence, item.tag, item.turn


def _by_length(first: Item, others: Iterable[Item]) -> list[Item]:
    """Those of the same prompt before others, then by how near their lengths are."""
    return sorted(
        others, key=lambda item: (item.prompt is None or item.prompt != first.prompt, abs(item.tokens - first.tokens))
    )
