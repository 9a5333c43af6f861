"""REAL, rewards as labels (arXiv 2602.05630), experimental: a classifier that tells right from wrong responses.

With ``s = mean of log p - log p_old`` over a response, of each group ``log(1 + sum over right of exp(-s / t)) + log(1 +
sum over wrong of exp(s / t))``; mean over groups, ``t`` = ``real_temperature`` (0.5). Right is a positive advantage and
wrong a negative one; 0 takes no part: the advantages called ``labels`` fit. A group must be whole in one part of an
update (``Batch.split(..., whole_groups=True)``).
"""

from __future__ import annotations

import torch
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import in_loss, log_ratio
from trueward_trainer.losses.aggregate import sequence_mean, token_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import advantages


def loss(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    means = log_ratio(logp, batch).sum(-1) / batch.mask.sum(-1).clamp(min=1)
    label = advantages(batch).sum(-1).sign()
    scaled = means / config.real_temperature
    terms = [_softplus_of_sum(-sign * scaled[here]) for sign, here in _classes(batch.group, label)]
    total = torch.stack([means.sum() * 0, *terms]).sum() / max(batch.size.groups, 1)
    metrics = {"policy_loss": float(total.detach())}
    kl = in_loss(config.kl, config.kl_estimator, logp, batch, by_ratio=config.kl_by_ratio)
    if kl is not None:
        metrics["kl"] = float(token_mean(kl.detach(), batch))
        if config.kl:
            total = total + config.kl * sequence_mean(kl, batch)
    return LossResult(total, metrics)


def _classes(group: Tensor, label: Tensor) -> list[tuple[float, Tensor]]:
    """The right and the wrong responses of each group, where there are such."""
    found = [(sign, (group == number) & (label == sign)) for number in group.unique() for sign in (1.0, -1.0)]
    return [(sign, here) for sign, here in found if here.any()]


def _softplus_of_sum(values: Tensor) -> Tensor:
    """``log(1 + sum of exp(values))``."""
    return torch.logsumexp(torch.cat([values.new_zeros(1), values]), 0)
