"""Packed attention against attention spelt out: windows, softcaps, grouped heads, and queries behind a prefix."""

from __future__ import annotations

import itertools

import pytest
import torch

from judges.engine.attention import Segments, causal_attention, packed_attention


def spelt_out(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int | None, softcap: float | None
) -> torch.Tensor:
    """Query by query, head by head."""
    heads, queries, size = query.shape[1:]
    keys, repeats = key.shape[2], heads // key.shape[1]
    out = torch.zeros(1, heads, queries, size)
    for head, n in itertools.product(range(heads), range(queries)):
        place = keys - queries + n
        first = 0 if window is None else max(0, place - window + 1)
        scores = key[0, head // repeats, first : place + 1] @ query[0, head, n] * 0.3
        scores = scores if softcap is None else torch.tanh(scores / softcap) * softcap
        out[0, head, n] = scores.softmax(0) @ value[0, head // repeats, first : place + 1]
    return out


@pytest.mark.parametrize("window", [None, 1, 3, 50])
@pytest.mark.parametrize("softcap", [None, 1.5])
@pytest.mark.parametrize("key_heads", [4, 2, 1])
def test_sequences_in_one_row_see_only_themselves(window: int | None, softcap: float | None, key_heads: int) -> None:
    torch.manual_seed(1)
    lengths = (5, 1, 9)
    query = torch.randn(1, 4, sum(lengths), 8)
    key, value = (torch.randn(1, key_heads, sum(lengths), 8) for _ in range(2))
    found, _ = packed_attention(
        torch.nn.Module(),
        query,
        key,
        value,
        None,
        segments=Segments(lengths, query.device),
        scaling=0.3,
        sliding_window=window,
        softcap=softcap,
    )
    parts = zip(*(whole.split(lengths, dim=2) for whole in (query, key, value)), strict=True)
    brute = torch.cat([spelt_out(q, k, v, window, softcap) for q, k, v in parts], dim=2)
    assert torch.allclose(found.transpose(1, 2), brute, atol=1e-5)


@pytest.mark.parametrize("window", [None, 4])
@pytest.mark.parametrize("softcap", [None, 1.5])
def test_queries_behind_a_prefix(window: int | None, softcap: float | None) -> None:
    torch.manual_seed(2)
    query, key, value = torch.randn(1, 4, 3, 8), torch.randn(1, 2, 10, 8), torch.randn(1, 2, 10, 8)
    found = causal_attention(query, key, value, 0.3, window, softcap)
    assert torch.allclose(found, spelt_out(query, key, value, window, softcap), atol=1e-5)


def test_bounds_are_cumulative() -> None:
    assert Segments((5, 1, 9), torch.device("cpu")).bounds.tolist() == [0, 5, 6, 15]
