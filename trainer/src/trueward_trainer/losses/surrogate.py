"""The clipped surrogate of PPO (Schulman et al., arXiv 1707.06347), which several losses aggregate differently.

``-min(r A, clip(r, 1 - low, 1 + high) A)`` of each token, with ``r = p / p_old``. With ``dual_clip`` c (Ye et al.,
arXiv 1912.09729) it is at most ``-c A`` where ``A`` is negative.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import log_ratio, mask_values
from trueward_trainer.losses.base import LossConfig


class Surrogate(NamedTuple):
    """One loss a token, and where the ratio was clipped so that no gradient passes."""

    losses: Tensor
    events: dict[str, Tensor]


def advantages(batch: Batch) -> Tensor:
    """0 where ``mask`` is 0."""
    return mask_values(batch.advantages, batch.mask)


def clip_surrogate(logp: Tensor, batch: Batch, config: LossConfig, *, high: float = 0.2) -> Surrogate:
    """0.2 below 1 and ``high`` above hold where the configuration has no clips of its own."""
    return clip_ratio(log_ratio(logp, batch).exp(), batch, config, low=0.2, high=high)


def clip_ratio(ratio: Tensor, batch: Batch, config: LossConfig, *, low: float, high: float) -> Surrogate:
    """The surrogate of ratios that are given, one a token."""
    low = low if config.clip_low is None else config.clip_low
    high = high if config.clip_high is None else config.clip_high
    gain = advantages(batch)
    losses = -torch.minimum(ratio * gain, ratio.clamp(1 - low, 1 + high) * gain)
    if config.dual_clip is not None:
        losses = torch.where(gain < 0, torch.minimum(-config.dual_clip * gain, losses), losses)
    events = {
        "clipped_low": (ratio < 1 - low) & (gain < 0),
        "clipped_high": (ratio > 1 + high) & (gain > 0),
    }
    return Surrogate(losses, events)
