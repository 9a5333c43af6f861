"""DAPO (Yu et al., arXiv 2503.14476): clipped higher than low, mean over the tokens of the whole update.

Reads ``clip_low`` (0.2), ``clip_high`` (0.28) and ``dual_clip`` (off); the paper has no KL term. Dynamic sampling is
:func:`trueward.rlvr.advantages.mixed_groups`; the penalty of overlong responses is the recipe's.
"""

from __future__ import annotations

from torch import Tensor

from trueward.rlvr.batch import Batch
from trueward.rlvr.losses.aggregate import result, token_mean
from trueward.rlvr.losses.base import LossConfig, LossResult
from trueward.rlvr.losses.surrogate import clipped


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    losses, events = clipped(logp, batch, config, high=0.28)
    return result(losses, logp, batch, config, token_mean, events)
