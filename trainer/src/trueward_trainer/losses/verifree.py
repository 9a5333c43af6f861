"""VeriFree (Zhou et al., arXiv 2505.21493): learns from how likely the reference is after the policy's own reasoning.

The gradient of ``E[p(reference | reasoning)]`` has two terms: the score function ``A grad log p(reasoning)``, and the
likelihood ``w grad log p(reference | reasoning)``. Rows are prompt, sampled reasoning and the reference that was put
after it; ``answer_mask`` tells reference tokens from reasoning tokens, and the advantages called ``verifree`` have
``A`` and ``w`` there. Both terms are summed over tokens, not divided by length, and the mean is over responses.

Reasoning tokens go through the clipped surrogate (``clip_low`` and ``clip_high`` 0.2), which is the plain term while
the policy is the one that sampled; reference tokens were not sampled, so they have no ratio.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import mask_values
from trueward_trainer.losses.aggregate import result, sequence_sum
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import advantages, clip_surrogate


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    """Raises ValueError without ``answer_mask``."""
    if batch.answer_mask is None:
        raise ValueError("the loss verifree needs answer_mask: 1 on the reference's tokens, 0 on the reasoning's")
    answer = batch.answer_mask > 0
    reasoning, events = clip_surrogate(logp, batch, config)
    likelihood = -advantages(batch) * mask_values(logp, batch.mask)
    events = {name: found & ~answer for name, found in events.items()}
    return result(torch.where(answer, likelihood, reasoning), logp, batch, config, sequence_sum, events)
