"""Which items of a job are scored together.

A chunk has ``SIZE`` items. Where groups matter, a group that begins in a chunk ends in it, and so do two that share a
``pair``, as long as their items follow each other and the chunk stays within ``BOUND``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from app.jobs.repository import QueuedItem
from trueward.wire.sample import Sample, group_names

SIZE = 256
BOUND = 4096


@dataclass(frozen=True, slots=True)
class ChunkItem:
    """An item of a job with its sample, and what it must not be parted from."""

    item: QueuedItem
    sample: Sample
    unit: str


class Chunks:
    """The items from ``start`` to before ``end``, chunk by chunk; each is read and parsed once.

    ``read`` gives the items from a position on, so many at most. ``whole``: groups matter.
    """

    def __init__(
        self,
        read: Callable[[int, int], Awaitable[Sequence[QueuedItem]]],
        start: int,
        end: int,
        *,
        size: int,
        bound: int,
        whole: bool,
    ) -> None:
        self._read = read
        self._position = start
        self._end = end
        self._size = size
        self._bound = bound
        self._whole = whole
        self._ahead: list[ChunkItem] = []

    async def next(self) -> list[ChunkItem]:
        """Empty behind the last item."""
        while (length := self._length()) == len(self._ahead) < self._bound and self._position < self._end:
            items = await self._read(self._position, min(self._size, self._bound - length))
            samples = [_sample(item) for item in items]
            names = units(samples) if self._whole else [item.record for item in items]
            self._ahead += [ChunkItem(*one) for one in zip(items, samples, names, strict=True)]
            self._position += len(items)
        chunk, self._ahead = self._ahead[:length], self._ahead[length:]
        return chunk

    def _length(self) -> int:
        return chunk_length([piece.unit for piece in self._ahead], self._size)


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


def _sample(item: QueuedItem) -> Sample:
    sample = Sample.model_validate_json(item.sample)
    sample.id = item.sample_id
    return sample
