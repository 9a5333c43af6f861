"""From one number a response, or one a token, to ``[B, T]``: spread, summed up from the end, whitened. In float64."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from trueward_trainer.kl import mask_values

WHITENING_EPSILON = 1e-8


def spread(values: Sequence[float], mask: Tensor) -> Tensor:
    """Each response's number on all its tokens."""
    column = torch.tensor(values, dtype=torch.float64, device=mask.device)[:, None]
    return mask_values(column.expand(mask.shape), mask)


def at_last(values: Sequence[float], mask: Tensor) -> Tensor:
    """Each response's number on its last token."""
    here = mask > 0
    last = here & (here.flip(1).cumsum(1).flip(1) == 1)
    return mask_values(spread(values, mask), last)


def returns_to_go(rewards: Tensor, mask: Tensor) -> Tensor:
    """The sum of a token's reward and of those after it, undiscounted."""
    there = mask_values(rewards.double(), mask)
    return mask_values(there.flip(1).cumsum(1).flip(1), mask)


def whiten(values: Tensor, mask: Tensor, ddof: int) -> Tensor:
    """``(v - mean) / sqrt(var + 1e-8)`` over all tokens of the mask; 0 without spread."""
    chosen = values[mask > 0]
    if len(chosen) <= ddof or chosen.min() == chosen.max():
        return torch.zeros_like(values)
    variance = chosen.var(correction=ddof)
    return mask_values((values - chosen.mean()) * (variance + WHITENING_EPSILON).rsqrt(), mask)
