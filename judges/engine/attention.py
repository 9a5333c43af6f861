"""Attention over segments that stand in one row: a token sees its own segment's earlier ones, and those that this one
goes on from.

A registered attention function of transformers, called by each layer with the row's queries, keys and values of shape
(1, heads, tokens, head size); where segments end comes with every call as ``segments``. On CUDA in half precision one
kernel does all of them; else each segment is a causal attention of its own. Sliding windows and softcaps are honoured;
whether an architecture needs more than that is seen when a model is loaded (:mod:`judges.engine.load`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from judges.engine.prefix import ALONE

PACKED = "trueward_packed"
"""The name under which transformers knows :func:`packed_attention`."""


@dataclass(frozen=True)
class Segments:
    """Lengths of the segments in a row, one after another; ``parents`` has for each the index of the segment whose
    keys it sees before its own, or :data:`judges.engine.prefix.ALONE`. Without parents they are all alone."""

    lengths: tuple[int, ...]
    device: torch.device
    parents: tuple[int, ...] = ()

    @cached_property
    def lone(self) -> bool:
        return all(parent == ALONE for parent in self.parents)

    @cached_property
    def bounds(self) -> torch.Tensor:
        """Where segments begin, and the end: int32, shape (segments + 1)."""
        return self._bounds(self.lengths)

    @cached_property
    def seen(self) -> list[list[int]]:
        """For each segment those whose keys it sees, in order; its own is the last."""
        parents = self.parents or (ALONE,) * len(self.lengths)
        return [[place] if parent == ALONE else [parent, place] for place, parent in enumerate(parents)]

    @cached_property
    def key_lengths(self) -> tuple[int, ...]:
        return tuple(sum(self.lengths[one] for one in seen) for seen in self.seen)

    @cached_property
    def key_bounds(self) -> torch.Tensor:
        """As ``bounds``, of the keys that are gathered by ``keys``."""
        return self._bounds(self.key_lengths)

    @cached_property
    def keys(self) -> torch.Tensor:
        """Positions in the row of the keys that each segment sees, one segment after another."""
        rows = torch.arange(sum(self.lengths)).split(self.lengths)
        return torch.cat([rows[one] for seen in self.seen for one in seen]).to(self.device)

    def _bounds(self, lengths: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor((0, *lengths), dtype=torch.int32).cumsum(0, dtype=torch.int32).to(self.device)


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    segments: Segments,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Shape (1, tokens, heads, head size), and no weights."""
    if query.is_cuda and query.dtype != torch.float32 and softcap is None:
        return _varlen(query, key, value, segments, scaling, sliding_window), None
    queries, keys, values = (whole.split(segments.lengths, dim=2) for whole in (query, key, value))
    attended = [
        causal_attention(own, _joined(keys, seen), _joined(values, seen), scaling, sliding_window, softcap)
        for own, seen in zip(queries, segments.seen, strict=True)
    ]
    return torch.cat(attended, dim=2).transpose(1, 2), None


def _joined(parts: Sequence[torch.Tensor], seen: Sequence[int]) -> torch.Tensor:
    return parts[seen[0]] if len(seen) == 1 else torch.cat([parts[one] for one in seen], dim=2)


def causal_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scaling: float | None,
    sliding_window: int | None = None,
    softcap: float | None = None,
) -> torch.Tensor:
    """Attention of sequences whose queries are the last ones of their keys: (batch, heads, queries, head size)."""
    queries, keys = query.shape[2], key.shape[2]
    grouped = query.shape[1] != key.shape[1]
    windowed = sliding_window is not None and sliding_window < keys
    if softcap is None and not windowed and queries == keys:
        return scaled_dot_product_attention(query, key, value, is_causal=True, scale=scaling, enable_gqa=grouped)
    mask = _mask(queries, keys, sliding_window if windowed else None, query.device)
    if softcap is None:
        return scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scaling, enable_gqa=grouped)
    return _softcapped(query, key, value, mask, scaling, softcap)


def _mask(queries: int, keys: int, window: int | None, device: torch.device) -> torch.Tensor:
    """True where a query (row) sees a key: its own place, and those before it within the window."""
    seen = torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)
    return seen if window is None else seen.triu(keys - queries - window + 1)


def _softcapped(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor,
    scaling: float | None,
    softcap: float,
) -> torch.Tensor:
    """Gemma 2: scores are squeezed into (-softcap, softcap) before they are masked (arXiv 2408.00118)."""
    repeats = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(repeats, 1), value.repeat_interleave(repeats, 1)
    scores = query @ key.transpose(2, 3) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    scores = torch.tanh(scores / softcap) * softcap
    scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1, dtype=torch.float32).to(query.dtype) @ value


def _varlen(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    segments: Segments,
    scaling: float | None,
    sliding_window: int | None,
) -> torch.Tensor:
    from torch.nn.attention.varlen import varlen_attn

    if not segments.lone:
        key, value = key[:, :, segments.keys], value[:, :, segments.keys]
    rows = (whole[0].transpose(0, 1) for whole in (query, key, value))
    attended: torch.Tensor = varlen_attn(
        *rows,
        segments.bounds,
        segments.bounds if segments.lone else segments.key_bounds,
        max(segments.lengths),
        max(segments.key_lengths),
        scale=scaling,
        window_size=(-1 if sliding_window is None else sliding_window - 1, 0),
        enable_gqa=query.shape[1] != key.shape[1],
    )
    return attended[None]


AttentionInterface.register(PACKED, packed_attention)
