"""What prompts began with, kept from one batch to the next: a judge's rules are computed once, not at every question.

Kept are keys and values of blocks of tokens, each under all the tokens up to its end, so that a block is found only
behind the same beginning. Where all take more than ``most_bytes``, the longest unused go first, each beginning from its
end: a block goes after all that stand on it, which nothing could find without it. They are of the weights that computed
them: new weights forget them all. Only caches that keep every token's keys and values as they are can be kept so; of
others nothing is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from transformers import DynamicCache

BLOCK = 32
"""Tokens."""
MOST_BYTES = 256 << 20

_Block = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values, a layer each."""


class Beginnings:
    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._blocks: OrderedDict[tuple[int, ...], _Block] = OrderedDict()
        self.bytes = 0

    def find(self, ids: tuple[int, ...]) -> tuple[int, DynamicCache | None]:
        """How many tokens at the beginning of these are known, and what is kept of them, as of one sequence."""
        known: list[_Block] = []
        for end in _ends(ids):
            block = self._blocks.get(ids[:end])
            if block is None:
                break
            known.append(block)
        if not known:
            return 0, None
        length = BLOCK * len(known)
        self._use(ids[:length])
        return length, _joined(known)

    def keep(self, ids: tuple[int, ...], cache: object) -> None:
        """The beginnings of a sequence: its keys and values stand first in the first row of ``cache``."""
        layers = _layers(cache)
        if not layers:
            return
        for end in _ends(ids):
            if ids[:end] not in self._blocks:
                # copies, for a view would keep all of the cache
                block = [tuple(part[:1, :, end - BLOCK : end].clone() for part in layer) for layer in layers]
                self._blocks[ids[:end]] = [(keys, values) for keys, values in block]
                self.bytes += _size(self._blocks[ids[:end]])
        self._use(ids)
        while self.bytes > self._most_bytes:
            _, longest_unused = self._blocks.popitem(last=False)
            self.bytes -= _size(longest_unused)

    def _use(self, ids: tuple[int, ...]) -> None:
        """Each block after those that stand on it, so that these are always the longer unused."""
        for end in reversed(_ends(ids)):
            self._blocks.move_to_end(ids[:end])

    def forget(self) -> None:
        self._blocks.clear()
        self.bytes = 0


def _ends(ids: tuple[int, ...]) -> range:
    return range(BLOCK, len(ids) + 1, BLOCK)


def _layers(cache: object) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Keys and values of each; none where a layer keeps something else: a window, a state, compressed numbers."""
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    if not isinstance(cache, DynamicCache) or any(type(layer) is not DynamicLayer for layer in cache.layers):
        return []
    return [(layer.keys, layer.values) for layer in cache.layers]


def _joined(blocks: Sequence[_Block]) -> DynamicCache:
    from transformers import DynamicCache

    cache = DynamicCache()
    for layer, parts in enumerate(zip(*blocks, strict=True)):
        keys, values = (torch.cat(some, dim=2) for some in zip(*parts, strict=True))
        cache.update(keys, values, layer)
    return cache


def _size(block: _Block) -> int:
    return sum(part.numel() * part.element_size() for layer in block for part in layer)
