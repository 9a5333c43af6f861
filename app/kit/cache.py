"""A bounded map that forgets what was used longest ago, and what values of JSON take in memory, about."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, ValuesView
from typing import Generic, TypeVar

from pydantic import JsonValue

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_BYTES = 128 * 2**20
"""Of what a cache holds whose values are weighed."""

_TEXT, _NUMBER, _CONTAINER, _PLACE = 56, 32, 64, 16


class Cache(Generic[K, V]):
    """``capacity`` entries at most; 0 keeps nothing. Where ``weigh`` says what a value takes, about, they take
    :data:`MOST_BYTES` together."""

    def __init__(self, capacity: int, weigh: Callable[[V], int] | None = None) -> None:
        self.capacity = capacity
        self.bytes = 0
        self._weigh = weigh
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._weights: dict[K, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def values(self) -> ValuesView[V]:
        """What was used longest ago comes first."""
        return self._entries.values()

    def drop(self, key: K) -> None:
        self._entries.pop(key, None)
        self.bytes -= self._weights.pop(key, 0)

    def clear(self) -> None:
        self._entries.clear()
        self._weights.clear()
        self.bytes = 0

    def put(self, key: K, value: V) -> None:
        if self._weigh is not None:
            weight = self._weigh(value)
            self.bytes += weight - self._weights.get(key, 0)
            self._weights[key] = weight
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self._entries) > self.capacity or self.bytes > MOST_BYTES:
            self.drop(next(iter(self._entries)))


def estimate_bytes(value: JsonValue) -> int:
    """What a value takes: a text four bytes a character where it is not ASCII alone, and no part counted twice."""
    held, left = 0, [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            held += _TEXT + len(one) * (1 if one.isascii() else 4)
        elif isinstance(one, dict):
            held += _CONTAINER + _PLACE * len(one)
            left += one
            left += one.values()
        elif isinstance(one, list):
            held += _CONTAINER + _PLACE * len(one)
            left += one
        else:
            held += _NUMBER
    return held
