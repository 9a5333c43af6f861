"""GSPO (Zheng et al., arXiv 2507.18071): one ratio a response, ``exp(mean of log p - log p_old)``, clipped as a whole.

The gradient passes through each token's own log-probability (the paper's token form), so advantages may differ by
token. Mean over each response's tokens, then over responses; a sum over tokens would undo the division by length.
Reads ``clip_low`` (3e-4), ``clip_high`` (4e-4) and ``dual_clip`` (off).
"""

from __future__ import annotations

from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import log_ratio, mask_values
from trueward_trainer.losses.aggregate import result, sequence_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import clip_ratio


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    losses, events = clip_ratio(ratio(logp, batch), batch, config, low=3e-4, high=4e-4)
    return result(losses, logp, batch, config, sequence_mean, events)


def ratio(logp: Tensor, batch: Batch) -> Tensor:
    """``[B, T]``: the response's ratio at each of its tokens, with that token's gradient."""
    whole = log_ratio(logp, batch).detach().sum(-1, keepdim=True) / batch.mask.sum(-1, keepdim=True).clamp(min=1)
    own = mask_values(logp, batch.mask)
    return (whole + own - own.detach()).exp()
