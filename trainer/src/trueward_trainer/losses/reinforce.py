"""REINFORCE (Williams, 1992): ``-A log p``, mean over the tokens of the update, without a ratio.

For one update on what the present policy sampled; a second one on the same batch is biased. Its advantages may be the
signed weights of a forward correction (arXiv 2510.00915), or those of positive- and negative-sample reinforcement
(arXiv 2506.01347).
"""

from __future__ import annotations

from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import mask_values
from trueward_trainer.losses.aggregate import result, token_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import advantages


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    return result(-advantages(batch) * mask_values(logp, batch.mask), logp, batch, config, token_mean)
