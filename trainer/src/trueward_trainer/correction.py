"""How much a token counts that another policy sampled than the one that learns: truncated importance sampling.

A server samples with other kernels, another precision or older weights: its ``p_sampler`` is not the update's
``p_old``. A token's loss is multiplied by ``min(p_old / p_sampler, cap)``, or with ``mask`` by the ratio where it lies
in ``[1 / cap, cap]`` and by 0 elsewhere. No gradient passes through it. Source: "Your Efficient RL Framework Secretly
Brings You Off-Policy RL Training" (Yao et al., 2025), a blog post.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trueward_trainer.config import SamplerCorrection
from trueward_trainer.kl import MOST_LOG_RATIO, mask_values


def weights(old: Tensor, sampled: Tensor, mask: Tensor, how: SamplerCorrection) -> tuple[Tensor, dict[str, float]]:
    """``[B, T]`` and metrics. ``sampled`` is NaN where the sampler told nothing: there the weight is 1.

    ``mask`` is 1 on tokens that were sampled and learn; elsewhere the weight is 1, too.
    """
    known = (mask > 0) & ~sampled.isnan()
    ratio = mask_values(old - sampled, known).clamp(-MOST_LOG_RATIO, MOST_LOG_RATIO).exp()
    outside = ratio > how.cap
    if how.kind == "truncate":
        weight = ratio.clamp(max=how.cap)
    else:
        outside |= ratio < 1 / how.cap
        weight = torch.where(outside, torch.zeros_like(ratio), ratio)
    weight = torch.where(known, weight, torch.ones_like(weight))
    sampled_tokens, told = int((mask > 0).sum()), int(known.sum())
    return weight, {
        "sampler_weight": float(weight[known].mean()) if told else 1.0,
        "sampler_outside": int((outside & known).sum()) / max(told, 1),
        "sampler_unknown": 1 - told / max(sampled_tokens, 1),
    }
