"""Batches of random tensors: responses of several lengths, holes in the mask, and what lies outside of it absurd."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.losses import Loss, LossConfig

ABSURD = float("nan")

SETTINGS = LossConfig(max_length=16, cispo_clamp="window", clip_low=0.2, clip_high=0.28)
"""With which every loss runs."""


def tensor(rows: Sequence[Sequence[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def batch(
    logp_old: Sequence[Sequence[float]],
    advantages: Sequence[Sequence[float]],
    *,
    mask: Sequence[Sequence[float]] | None = None,
    logp_ref: Sequence[Sequence[float]] | None = None,
    answer_mask: Sequence[Sequence[float]] | None = None,
    group: Sequence[int] | None = None,
) -> Batch:
    """A batch of what is written out, in float64."""
    old = tensor(logp_old)
    return Batch(
        ids=torch.zeros(old.shape, dtype=torch.long),
        mask=torch.ones_like(old) if mask is None else tensor(mask),
        logp_old=old,
        advantages=tensor(advantages),
        group=torch.zeros(len(old), dtype=torch.long) if group is None else torch.tensor(group),
        logp_ref=None if logp_ref is None else tensor(logp_ref),
        answer_mask=None if answer_mask is None else tensor(answer_mask),
    )


def some(seed: int = 0, *, apart: float = 0.3, empty: bool = False) -> tuple[Tensor, Batch]:
    """Six responses of two groups over nine positions, and log-probabilities ``apart`` from those that sampled."""
    draw = torch.Generator().manual_seed(seed)
    shape = (6, 9)
    mask = torch.tensor(
        [
            [0, 0, 1, 1, 1, 1, 1, 1, 1],
            [0, 0, 1, 1, 0, 0, 1, 1, 0],
            [0, 0, 1, 0, 0, 0, 0, 0, 0],
            [0, 1, 1, 1, 1, 1, 0, 0, 0],
            [0, 1, 1, 1, 1, 1, 1, 1, 1],
            [0, 1, 1, 0, 1, 0, 0, 0, 0],
        ],
        dtype=torch.float64,
    )
    if empty:
        mask = torch.zeros_like(mask)

    def normal() -> Tensor:
        return torch.randn(shape, generator=draw, dtype=torch.float64)

    def inside(values: Tensor) -> Tensor:
        return torch.where(mask > 0, values, torch.full_like(values, ABSURD))

    old = -1 - normal().abs()
    answer = mask * (torch.arange(9) >= 5)
    sampled = Batch(
        ids=torch.zeros(shape, dtype=torch.long),
        mask=mask,
        logp_old=inside(old),
        advantages=inside(normal()),
        group=torch.tensor([0, 0, 0, 1, 1, 1]),
        logp_ref=inside(old + 0.2 * normal()),
        answer_mask=answer,
    )
    return inside(old + apart * normal()), sampled


def slope(loss: Loss, logp: Tensor, sampled: Batch, config: LossConfig = SETTINGS) -> tuple[float, Tensor]:
    """The loss and its gradient."""
    leaf = logp.clone().requires_grad_()
    value = loss(leaf, sampled, config).loss
    value.backward()
    assert leaf.grad is not None
    return float(value.detach()), leaf.grad
