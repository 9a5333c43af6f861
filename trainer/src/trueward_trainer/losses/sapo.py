"""SAPO (Gao et al., arXiv 2511.20347): a sigmoid gate in place of the clip, ``-A (4 / t) sigmoid(t (r - 1))``.

At ``r = 1`` its gradient is that of the plain ratio; further away it fades instead of ending. Mean over each response's
tokens, then over responses. Reads ``sapo_right`` (t = 1.0 where A is positive) and ``sapo_wrong`` (1.05 elsewhere).
"""

from __future__ import annotations

import torch
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import log_ratio
from trueward_trainer.losses.aggregate import result, sequence_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import advantages


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    gain = advantages(batch)
    ratio = log_ratio(logp, batch).exp()
    sharpness = torch.where(gain > 0, config.sapo_right, config.sapo_wrong)
    losses = -gain * 4 / sharpness * torch.sigmoid(sharpness * (ratio - 1))
    return result(losses, logp, batch, config, sequence_mean)
