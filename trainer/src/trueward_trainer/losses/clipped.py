"""The losses that are the clipped surrogate and differ only in its upper clip and in how its tokens are averaged.

Each reads ``clip_low`` (0.2), ``clip_high`` (0.2 where its row says nothing else) and ``dual_clip`` (off).

ppo
    PPO clip without a critic (Schulman et al., arXiv 1707.06347): mean over the tokens of the update.
grpo
    GRPO (Shao et al., arXiv 2402.03300): mean over each response's tokens, then over responses. The paper has a KL
    term: set ``kl``.
dapo
    DAPO (Yu et al., arXiv 2503.14476): clipped higher (0.28) than low, mean over the tokens of the whole update; the
    paper has no KL term. Dynamic sampling is :func:`trueward_trainer.advantages.mixed_groups`; the penalty of overlong
    responses is the recipe's.
dr_grpo
    Dr. GRPO (Liu et al., arXiv 2503.20783): the sum over all tokens, divided by responses times a constant length, so
    no response is favoured for being short or long. Reads ``max_length``, which must be set. Its advantages are those
    called ``dr_grpo``, without a division by the group's spread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.losses.aggregate import Aggregate, result, sequence_mean, sequence_sum, token_mean
from trueward_trainer.losses.base import LossConfig, LossResult
from trueward_trainer.losses.surrogate import clip_surrogate


@dataclass(frozen=True, slots=True)
class Clipped:
    """``aggregate`` gives the mean that a configuration asks for; ``high`` is the upper clip where it names none."""

    aggregate: Callable[[LossConfig], Aggregate]
    high: float = 0.2

    def __call__(self, logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
        """Raises ValueError where the configuration lacks what ``aggregate`` needs."""
        aggregate = self.aggregate(config)
        losses, events = clip_surrogate(logp, batch, config, high=self.high)
        return result(losses, logp, batch, config, aggregate, events)


def by_constant(config: LossConfig) -> Aggregate:
    """Raises ValueError without ``max_length``."""
    constant = config.max_length
    if constant is None:
        raise ValueError("the loss dr_grpo divides by a constant: set max_length, the longest response that is sampled")
    return lambda values, batch: sequence_sum(values, batch) / constant


ppo = Clipped(lambda _: token_mean)
grpo = Clipped(lambda _: sequence_mean)
dapo = Clipped(lambda _: token_mean, high=0.28)
dr_grpo = Clipped(by_constant)
