"""Estimators of the KL divergence from the reference policy, token by token, in the loss or in the token reward.

With ``k1 = log p - log p_ref``: ``k2 = k1^2 / 2`` and ``k3 = exp(-k1) + k1 - 1`` (Schulman, "Approximating KL
divergence", 2020). Under on-policy sampling k1 and k3 have the right mean; as a loss only the gradient of k2 is that
of KL. ``k3+`` has the value of k3 and the gradient of k2. In k3 ``-k1`` is held in [-20, 20] and the result in
[-10, 10], where a gradient ends.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from trueward_trainer.batch import Batch

Estimator = Literal["k1", "k2", "k3", "k3+"]

MOST_LOG_RATIO = 20.0
MOST_K3 = 10.0


def estimate(estimator: Estimator, logp: Tensor, logp_ref: Tensor) -> Tensor:
    """One number a token; its gradient is with respect to ``logp``."""
    k1 = logp - logp_ref
    match estimator:
        case "k1":
            return k1
        case "k2":
            return k1.square() / 2
        case "k3":
            return _k3(k1)
        case "k3+":
            k2 = k1.square() / 2
            return k2 - k2.detach() + _k3(k1).detach()


def penalties(estimator: Estimator, logp_old: Tensor, logp_ref: Tensor, mask: Tensor) -> Tensor:
    """What token rewards are reduced by (times a coefficient), 0 where ``mask`` is: no gradient passes here."""
    with torch.no_grad():
        return mask_values(estimate(estimator, logp_old, logp_ref), mask)


def in_loss(coefficient: float, estimator: Estimator, logp: Tensor, batch: Batch, *, by_ratio: bool) -> Tensor | None:
    """The KL of each token under ``batch.mask``, or None where there is no reference policy.

    ``by_ratio`` multiplies it by ``p / p_old``, through which a gradient passes, too: with k3 that makes the gradient
    the one of KL, also off-policy (DeepSeek-V3.2, arXiv 2512.02556; TRL's default). Raises ValueError where a
    coefficient has no reference policy to work on.
    """
    if batch.logp_ref is None:
        if coefficient:
            raise ValueError("a KL coefficient needs log-probabilities of a reference policy (batch.logp_ref)")
        return None
    kl = estimate(estimator, mask_values(logp, batch.mask), mask_values(batch.logp_ref, batch.mask))
    return kl * log_ratio(logp, batch).exp() if by_ratio else kl


def log_ratio(logp: Tensor, batch: Batch) -> Tensor:
    """``log p - log p_old`` in [-20, 20]; 0 where ``mask`` is 0."""
    difference = mask_values(logp, batch.mask) - mask_values(batch.logp_old, batch.mask)
    return difference.clamp(-MOST_LOG_RATIO, MOST_LOG_RATIO)


def mask_values(values: Tensor, mask: Tensor) -> Tensor:
    """The values where ``mask`` is not 0, else 0, whatever stands there."""
    return torch.where(mask > 0, values, torch.zeros_like(values))


def _k3(k1: Tensor) -> Tensor:
    back = (-k1).clamp(-MOST_LOG_RATIO, MOST_LOG_RATIO)
    return (back.exp() - back - 1).clamp(-MOST_K3, MOST_K3)
