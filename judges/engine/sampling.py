"""The next token of each row: the likeliest, or one that is drawn.

A row has random numbers of its own, one a token, so that what is drawn for a seed does not hang on its company.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import torch

_COLD = 1e-6
"""Up to here sampling takes the likeliest token; much below logits over it overflow, which a GPU does not survive."""


@dataclass(frozen=True, slots=True)
class Draws:
    """How the tokens of a row are chosen."""

    temperature: float
    top_p: float
    random: Random

    @classmethod
    def of(cls, temperature: float, top_p: float, seed: int | None) -> Draws:
        """Without a seed never the same again."""
        # numbers below 0 would seed as their absolute values do
        return cls(temperature, top_p, Random() if seed is None else Random(seed % 2**64))

    @property
    def greedy(self) -> bool:
        return self.temperature <= _COLD


def choose_tokens(logits: torch.Tensor, draws: Sequence[Draws]) -> list[int]:
    """``logits`` (rows, vocabulary) are finite numbers, or minus infinity."""
    likeliest: list[int] = logits.argmax(-1).tolist()
    drawing = [row for row, its in enumerate(draws) if not its.greedy]
    if drawing:
        for row, token in zip(drawing, _drawn(logits[drawing], [draws[row] for row in drawing]), strict=True):
            likeliest[row] = token
    return likeliest


def _drawn(logits: torch.Tensor, draws: Sequence[Draws]) -> list[int]:
    """Where the row's random number falls among the cumulated probabilities, in the order of the vocabulary."""
    heat = logits.new_tensor([[its.temperature] for its in draws])
    likely = torch.softmax(logits / heat, dim=-1)
    if any(its.top_p < 1 for its in draws):
        likely = _nucleus(likely, logits.new_tensor([[its.top_p] for its in draws]))
    sums = likely.cumsum(-1, dtype=torch.float64)
    numbers = sums.new_tensor([[its.random.random()] for its in draws])
    found = torch.searchsorted(sums, numbers * sums[:, -1:], right=True)[:, 0].clamp(max=logits.shape[1] - 1)
    tokens: list[int] = found.tolist()
    return tokens


def _nucleus(likely: torch.Tensor, top_p: torch.Tensor) -> torch.Tensor:
    """Nothing but the fewest likeliest tokens that together have ``top_p`` (arXiv 1904.09751), and ties with them."""
    ordered = likely.sort(-1, descending=True).values
    before = ordered.cumsum(-1, dtype=torch.float64) - ordered
    least = ordered.masked_fill((before >= top_p) & (top_p < 1), torch.inf).amin(-1, keepdim=True)
    return likely * (likely >= least)
