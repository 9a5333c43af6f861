"""Lists, dicts and sets that are parts of the solution's objects, of which the tests hold copies.

In one process ``box.items.append(1)`` changes the box. Here each end remembers what it last sent or got of such a
container, by number, and sends along what has changed since: the tests with their next request, the candidate with
its next reply. Shared are what the tests read as an attribute or item of the solution's objects, what they put
there, what they make objects with, and the containers in those. Only a bounded number is remembered; one that is
forgotten is a mere copy from then on.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from operator import is_
from typing import Any

KINDS = frozenset({list, dict, set, bytearray, OrderedDict, Counter, defaultdict, deque})

CONTAINERS = 200
"""Containers that are remembered."""

ITEMS = 10_000
"""Items of all of them together: each frame costs a look at every one."""


class Shared:
    """What one end remembers. ``numbers``: by the container's id, as it is kept alive here."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self._kept: dict[int, tuple[Any, tuple[object, ...]]] = {}
        self._items = 0

    def __bool__(self) -> bool:
        return bool(self._kept)

    def find(self, number: int) -> Any:
        """The container of that number, or None."""
        return self._kept[number][0] if number in self._kept else None

    def keep(self, number: int, item: Any) -> None:
        """Remembers a container as both ends have it now, and forgets the oldest where there are too many."""
        self.forget(number)
        contents = _contents(item)
        self._kept[number] = (item, contents)
        self.numbers[id(item)] = number
        self._items += len(contents)
        while len(self._kept) > CONTAINERS or self._items > ITEMS:
            self.forget(next(iter(self._kept)))

    def forget(self, number: int) -> None:
        if number in self._kept:
            item, contents = self._kept.pop(number)
            del self.numbers[id(item)]
            self._items -= len(contents)

    def is_changed(self, number: int) -> bool:
        """Whether this end has changed it; its items are compared by identity, so nothing of a program's is run."""
        if number not in self._kept:
            return False
        item, before = self._kept[number]
        now = _contents(item)
        return len(now) != len(before) or not all(map(is_, now, before))

    def iter_changed(self) -> Iterator[Any]:
        """The containers that this end has changed."""
        for number in list(self._kept):
            if self.is_changed(number):
                yield self._kept[number][0]


def parts(item: Any) -> Iterator[object]:
    """The containers that a container holds."""
    return (part for part in _contents(item) if type(part) in KINDS)


def _contents(item: Any) -> tuple[object, ...]:
    return (*item, *item.values()) if isinstance(item, dict) else tuple(item)
