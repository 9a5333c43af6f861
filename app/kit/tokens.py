"""Sortable ids: 26 characters of Crockford base 32, milliseconds first, then randomness (ULID).

Within one process ids of the same millisecond still sort in the order they were made.
"""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [a + b for a in _ALPHABET for b in _ALPHABET]
LAST_ID = "Z" * 26
"""Behind every id."""
_lock = threading.Lock()
_last = 0
_dice = random.Random()
"""Its own, which nobody seeds: ids are to differ, not to be secret, and to ask the system for each takes longer."""
os.register_at_fork(after_in_child=_dice.seed)


def new_id() -> str:
    """A new sortable id."""
    global _last  # the one counter that keeps ids of a millisecond in order
    value = (time.time_ns() // 1_000_000) << 80 | _dice.getrandbits(72) << 8
    with _lock:
        value = max(value, _last + 1)
        _last = value
    return _encode(value)


def new_ids(count: int) -> list[str]:
    """So many of them."""
    return [new_id() for _ in range(count)]


def first_id(at: datetime) -> str:
    """The least id that could be made at a moment, or after it."""
    return _encode(int(at.timestamp() * 1000) << 80)


def moment_of(name: str) -> datetime:
    """When an id was made."""
    return datetime.fromtimestamp((_decode(name) >> 80) / 1000, UTC)


def ids_between(first: str, last: str, count: int) -> list[str]:
    """``count`` ids at even distances in time, ``first`` among them and ``last`` not."""
    low, high = _decode(first), _decode(last)
    return [_encode(low + (high - low) * number // count) for number in range(count)]


def derive_ids(seed: str, count: int) -> list[str]:
    """``count`` ids that follow from ``seed`` alone: same time, randomness from a hash.

    A request that is sent again under its idempotency key gets the same ids, so that the ledger,
    which keeps the first row of an id, records nothing twice.
    """
    stem = seed[:10]
    ids = []
    for index in range(count):
        digest = hashlib.blake2b(f"{seed}/{index}".encode(), digest_size=10).digest()
        ids.append(stem + _encode(int.from_bytes(digest))[10:])
    return ids


def _decode(name: str) -> int:
    value = 0
    for character in name:
        value = value << 5 | _ALPHABET.index(character)
    return value


def _encode(value: int) -> str:
    """130 bits as 26 characters, two at a time."""
    return "".join([_PAIRS[value >> shift & 1023] for shift in range(120, -1, -10)])
