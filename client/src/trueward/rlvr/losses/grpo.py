"""GRPO (Shao et al., arXiv 2402.03300): clipped surrogate, mean over each response's tokens, then over responses.

Reads ``clip_low`` (0.2), ``clip_high`` (0.2) and ``dual_clip`` (off). The paper has a KL term: set ``kl``.
"""

from __future__ import annotations

from torch import Tensor

from trueward.rlvr.batch import Batch
from trueward.rlvr.losses.aggregate import result, sequence_mean
from trueward.rlvr.losses.base import LossConfig, LossResult
from trueward.rlvr.losses.surrogate import clipped


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    losses, events = clipped(logp, batch, config)
    return result(losses, logp, batch, config, sequence_mean, events)
