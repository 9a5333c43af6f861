"""Dr. GRPO (Liu et al., arXiv 2503.20783): the sum over all tokens, divided by responses times a constant length.

So no response is favoured for being short or long. Reads ``max_length``, which must be set, ``clip_low`` (0.2),
``clip_high`` (0.2) and ``dual_clip`` (off). Its advantages are those called ``dr_grpo``, without a division by the
group's spread.
"""

from __future__ import annotations

from torch import Tensor

from trueward.rlvr.batch import Batch
from trueward.rlvr.losses.aggregate import result, sequence_sum
from trueward.rlvr.losses.base import LossConfig, LossResult
from trueward.rlvr.losses.surrogate import clipped


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    """Raises ValueError without ``max_length``."""
    constant = config.max_length
    if constant is None:
        raise ValueError("the loss dr_grpo divides by a constant: set max_length, the longest response that is sampled")
    losses, events = clipped(logp, batch, config)
    return result(losses, logp, batch, config, lambda values, of: sequence_sum(values, of) / constant, events)
