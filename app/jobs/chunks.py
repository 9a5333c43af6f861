"""Which items of a job are scored together.

A chunk has ``SIZE`` items. Where groups matter, a group that begins in a chunk ends in it, and so do two that share a
``pair``, as long as their items follow each other and the chunk stays within ``BOUND``.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewards.groups import group_names
from trueward.types import Sample

SIZE = 256
BOUND = 4096


def units(samples: Sequence[Sample]) -> list[str]:
    """What each sample must not be parted from: its pair, else its group."""
    names = zip(samples, group_names(samples), strict=True)
    return [f"group {name}" if sample.pair is None else f"pair {sample.pair}" for sample, name in names]


def chunk_length(groups: Sequence[str], size: int = SIZE) -> int:
    """How many items make the next chunk; ``groups`` are the units of the items that follow."""
    length = min(size, len(groups))
    while 0 < length < len(groups) and groups[length] == groups[length - 1]:
        length += 1
    return length
