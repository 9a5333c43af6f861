"""DISPO (arXiv 2602.00983), experimental: CISPO whose window depends on the sign of the advantage.

``-A r log p`` with ``r`` clamped to [1 - low, 1 + high], by ``dispo_right`` (0.2, 10) for positive and ``dispo_wrong``
(1, 100) for other advantages; no gradient passes through ``r``. Divided by the number of tokens of the update.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import log_ratio, mask_values
from trueward_trainer.losses.aggregate import result, token_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import advantages


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    gain = advantages(batch)
    ratio = log_ratio(logp, batch).detach().exp()
    held = torch.where(gain > 0, _clamped(ratio, config.dispo_right), _clamped(ratio, config.dispo_wrong))
    events = {"clipped_low": ratio < held, "clipped_high": ratio > held}
    return result(-held * gain * mask_values(logp, batch.mask), logp, batch, config, token_mean, events)


def _clamped(ratio: Tensor, clips: tuple[float, float]) -> Tensor:
    low, high = clips
    return ratio.clamp(1 - low, 1 + high)
