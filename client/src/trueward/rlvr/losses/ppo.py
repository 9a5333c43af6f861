"""PPO clip without a critic (Schulman et al., arXiv 1707.06347): clipped surrogate, mean over the tokens of the update.

Reads ``clip_low`` (0.2), ``clip_high`` (0.2) and ``dual_clip`` (off).
"""

from __future__ import annotations

from torch import Tensor

from trueward.rlvr.batch import Batch
from trueward.rlvr.losses.aggregate import result, token_mean
from trueward.rlvr.losses.base import LossConfig, LossResult
from trueward.rlvr.losses.surrogate import clipped


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    losses, events = clipped(logp, batch, config)
    return result(losses, logp, batch, config, token_mean, events)
