"""Advantages that differ from step to step: CAPO, PPR with ReNorm, GRPO-VPS. In the style of their papers."""

from __future__ import annotations

import torch
from torch import Tensor

from trueward.estimators.advantage import standardise
from trueward_trainer.advantages.scored import AdvantageConfig, Scored
from trueward_trainer.advantages.tokens import returns_to_go, spread, whiten
from trueward_trainer.kl import mask_values

WHOLE_WEIGHT = 2.0
"""CAPO's weight of the outcome, beside 1 of a wrong step: a wrong answer never earns more than a right one."""


def capo(scored: Scored, config: AdvantageConfig) -> Tensor:
    """CAPO (arXiv 2508.02298): ``2 outcome - 1[in a wrong step]`` of each token, standardised over the group's tokens.

    ``token_rewards`` has the penalty of a wrong step (-1) on each of its tokens. 0 for a group whose tokens are all
    worth the same, or of which one response is judged.
    """
    mask = mask_values(scored.mask, scored.judged[:, None].expand(scored.mask.shape))
    penalties = mask_values(scored.tensor("token_rewards", "capo").double(), mask)
    whole = WHOLE_WEIGHT if config.outcome_weight is None else config.outcome_weight
    process = 1.0 if config.process_weight is None else config.process_weight
    earned = whole * spread([outcome or 0.0 for outcome in scored.outcomes], mask) + process * penalties
    found = torch.zeros_like(earned)
    for rows in scored.members:
        here = mask[rows] > 0
        tokens = earned[rows][here]
        if (here.any(-1).sum() < 2) or len(tokens) <= config.ddof or tokens.min() == tokens.max():
            continue
        scale = tokens.std(correction=config.ddof) + config.epsilon
        found[rows] = mask_values((earned[rows] - tokens.mean()) / scale, mask[rows])
    return found


def renorm(scored: Scored, config: AdvantageConfig) -> Tensor:
    """PPR (arXiv 2509.25598): returns of the step rewards of the shaping ``renorm``, whitened over the update.

    The paper has a critic and GAE; here are the returns themselves, undiscounted. The outcome is in each step already,
    so the reward beside them is not read.
    """
    mask = mask_values(scored.mask, scored.present[:, None].expand(scored.mask.shape))
    return whiten(returns_to_go(scored.tensor("token_rewards", "renorm"), mask), mask, config.ddof)


def vps(scored: Scored, config: AdvantageConfig) -> Tensor:
    """GRPO-VPS (arXiv 2604.20659): GRPO's advantage, and on each token of a part what it added to the belief.

    ``token_rewards`` has that on each token of the part; ``process_weight`` is the paper's alpha.
    """
    mask = mask_values(scored.mask, scored.present[:, None].expand(scored.mask.shape))
    outcome = scored.by_group(
        scored.rewards, lambda group: standardise(group, ddof=config.ddof, epsilon=config.epsilon)
    )
    weight = 1.0 if config.process_weight is None else config.process_weight
    return spread(outcome, mask) + weight * mask_values(scored.tensor("token_rewards", "vps").double(), mask)
