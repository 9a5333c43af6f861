"""From one loss a token to one number, and what every loss logs.

Means divide by the size of the whole update (:class:`trueward_trainer.batch.Size`), so parts of it add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import in_loss, mask_values
from trueward_trainer.losses.base import LossConfig, LossResult

Aggregate = Callable[[Tensor, Batch], Tensor]


def token_mean(losses: Tensor, batch: Batch) -> Tensor:
    """Every token of the update counts the same, so a long response counts more."""
    return mask_values(losses, batch.mask).sum() / max(batch.size.tokens, 1)


def sequence_mean(losses: Tensor, batch: Batch) -> Tensor:
    """The mean over its tokens of each response, then over responses: a token of a long one counts less."""
    lengths = batch.mask.sum(-1).clamp(min=1)
    return (mask_values(losses, batch.mask).sum(-1) / lengths).sum() / max(batch.size.sequences, 1)


def sequence_sum(losses: Tensor, batch: Batch) -> Tensor:
    """The sum over its tokens of each response, then the mean over responses."""
    return mask_values(losses, batch.mask).sum() / max(batch.size.sequences, 1)


def result(
    losses: Tensor,
    logp: Tensor,
    batch: Batch,
    config: LossConfig,
    aggregate: Aggregate,
    events: Mapping[str, Tensor] | None = None,
) -> LossResult:
    """The policy's term with the KL term, aggregated alike. ``events`` are logged as their share of the tokens."""
    if batch.weight is not None:
        losses = losses * batch.weight
    loss = aggregate(losses, batch)
    metrics = {"policy_loss": float(loss.detach())}
    metrics |= {name: float(token_mean(found.float(), batch)) for name, found in (events or {}).items()}
    kl = in_loss(config.kl, config.kl_estimator, logp, batch, by_ratio=config.kl_by_ratio)
    if kl is not None:
        metrics["kl"] = float(token_mean(kl.detach(), batch))
        if config.kl:
            loss = loss + config.kl * aggregate(kl, batch)
    return LossResult(loss, metrics)
