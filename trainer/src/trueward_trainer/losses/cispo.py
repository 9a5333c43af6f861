"""CISPO (MiniMax-M1, arXiv 2506.13585): ``-A r log p`` with a clamped ratio ``r`` that no gradient passes through.

Every token keeps a gradient. Mean over the tokens of the update. Libraries clamp differently, so ``cispo_clamp`` must
say how: ``cap`` only from above, at ``cispo_cap`` (5.0) as an absolute number (TRL; the paper has no lower bound,
either), ``window`` at [1 - ``clip_low``, 1 + ``clip_high``] (0.2 and 0.2, verl).
"""

from __future__ import annotations

from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import log_ratio, mask_values
from trueward_trainer.losses.aggregate import result, token_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import advantages


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    """Raises ValueError without ``cispo_clamp``."""
    low, high = window(config)
    ratio = log_ratio(logp, batch).detach().exp()
    losses = -ratio.clamp(low, high) * advantages(batch) * mask_values(logp, batch.mask)
    events = {"clipped_low": ratio < low, "clipped_high": ratio > high}
    return result(losses, logp, batch, config, token_mean, events)


def window(config: LossConfig) -> tuple[float, float]:
    """The least and the most that a ratio counts."""
    match config.cispo_clamp:
        case "cap":
            return 0.0, config.cispo_cap
        case "window":
            low = 0.2 if config.clip_low is None else config.clip_low
            high = 0.2 if config.clip_high is None else config.clip_high
            return 1 - low, 1 + high
        case None:
            raise ValueError(
                "the loss cispo must be told how to clamp: set cispo_clamp to `cap` (only from above, at cispo_cap, as "
                "TRL does) or `window` ([1 - clip_low, 1 + clip_high], as verl does)"
            )
