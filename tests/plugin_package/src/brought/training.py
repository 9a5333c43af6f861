"""For the bundled trainer: advantages and a loss."""

from torch import Tensor

from trueward_trainer.advantages.scored import AdvantageConfig, Scored
from trueward_trainer.batch import Batch
from trueward_trainer.losses.base import LossConfig, LossResult


def centred(scored: Scored, config: AdvantageConfig) -> list[float]:
    """One number a response: its reward less 0.5, and 0 where the reward is missing."""
    return [0.0 if reward is None else reward - 0.5 for reward in scored.rewards]


centred.alone = True  # type: ignore[attr-defined]  # it compares no responses of a group


def imitation(logp: Tensor, batch: Batch, config: LossConfig) -> LossResult:
    """``-log p`` of the responses with a positive advantage, a mean over their tokens."""
    good = batch.mask * (batch.advantages > 0)
    return LossResult(-(logp * good).sum() / max(batch.size.tokens, 1), {"imitated": float(good.sum())})
