"""Advantages that are one number a response, the same on all its tokens; formulas are in ``trueward.estimators``."""

from __future__ import annotations

from trueward.estimators import advantage, noise
from trueward.estimators.scores import drop_missing as scored_values
from trueward.estimators.scores import zero_variance
from trueward_trainer.advantages.scored import AdvantageConfig, Scored


def raw(scored: Scored, config: AdvantageConfig) -> list[float]:
    """The reward itself: a coefficient that no baseline touches."""
    return [reward or 0.0 for reward in scored.rewards]


def forward(scored: Scored, config: AdvantageConfig) -> list[float]:
    """The signed weights of a forward correction (arXiv 2510.00915), which are advantages as they are."""
    weights = scored.weights or [None] * len(scored.rewards)
    pairs = list(zip(weights, scored.rewards, strict=True))
    if any(weight is None and reward is not None for weight, reward in pairs):
        raise ValueError(
            "a reward has no weight: the advantages forward need a recipe whose term has the noise method forward"
        )
    return [0.0 if weight is None or reward is None else weight for weight, reward in pairs]


def grpo(scored: Scored, config: AdvantageConfig) -> list[float]:
    return scored.by_group(
        scored.rewards, lambda group: advantage.standardise(group, ddof=config.ddof, epsilon=config.epsilon)
    )


def dr_grpo(scored: Scored, config: AdvantageConfig) -> list[float]:
    return scored.by_group(scored.rewards, advantage.centre)


def rloo(scored: Scored, config: AdvantageConfig) -> list[float]:
    return scored.by_group(scored.rewards, advantage.leave_one_out)


def opo(scored: Scored, config: AdvantageConfig) -> list[float]:
    """The lengths are those of the tokens that learn."""
    lengths = scored.mask.sum(-1).tolist()
    found = [0.0] * len(lengths)
    for rows in scored.members:
        values = advantage.length_weighted([scored.rewards[row] for row in rows], [lengths[row] for row in rows])
        for row, value in zip(rows, values, strict=True):
            found[row] = value
    return found


def gpg(scored: Scored, config: AdvantageConfig) -> list[float]:
    """``a (r - mean)``, ``a`` = responses of the update / those in groups with spread: GPG (arXiv 2504.02546).

    It undoes that groups without a gradient thin the mean out.
    """
    there = [reward for reward in scored.rewards if reward is not None]
    teaching = 0
    for rows in scored.members:
        rewards = [scored.rewards[row] for row in rows]
        teaching += 0 if zero_variance(rewards) else len(scored_values(rewards))
    return _stretched(len(there), teaching, scored, config)


def gpg_verl(scored: Scored, config: AdvantageConfig) -> list[float]:
    """``a (r - mean)`` as verl has it: ``a`` = responses of the update / those whose reward is not 0."""
    there = [reward for reward in scored.rewards if reward is not None]
    return _stretched(len(there), sum(reward != 0 for reward in there), scored, config)


def _stretched(responses: int, counted: int, scored: Scored, config: AdvantageConfig) -> list[float]:
    return [responses / max(counted, 1) * one for one in dr_grpo(scored, config)]


def pass_at_k(scored: Scored, config: AdvantageConfig) -> list[float]:
    return scored.by_group(scored.rewards, advantage.best_only)


def positive(scored: Scored, config: AdvantageConfig) -> list[float]:
    return advantage.positive_only(scored.outcomes)


def negative(scored: Scored, config: AdvantageConfig) -> list[float]:
    return advantage.negative_only(scored.outcomes)


def weigh_outcomes(scored: Scored, config: AdvantageConfig) -> list[float]:
    return advantage.weigh_outcomes(scored.outcomes, right=config.right_weight)


def labels(scored: Scored, config: AdvantageConfig) -> list[float]:
    """1 for right, -1 for wrong: what the loss ``real`` reads."""
    return advantage.weigh_outcomes(scored.outcomes, right=1.0)


def debias_outcomes(scored: Scored, config: AdvantageConfig) -> list[float]:
    """Corrected outcome, centred, by the group's true spread (arXiv 2510.18924); corrects for itself."""
    return scored.by_group(
        scored.outcomes, lambda group: noise.debias(group, config.false_positive, config.false_negative)
    )
