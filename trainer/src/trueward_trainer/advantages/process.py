"""Advantages that differ from token to token: REINFORCE++, PURE, PRIME, VeriFree; those of steps: ``steps``."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from trueward.estimators.advantage import centre, leave_one_out
from trueward.estimators.scores import Scores
from trueward.estimators.scores import drop_missing as scored_values
from trueward_trainer.advantages.scored import AdvantageConfig, Scored
from trueward_trainer.advantages.tokens import at_last, returns_to_go, spread, whiten
from trueward_trainer.kl import mask_values

PRIME_WEIGHT = 5.0


def reinforce_pp(scored: Scored, config: AdvantageConfig) -> Tensor:
    """REINFORCE++ (arXiv 2501.03262): returns of token rewards, whitened over all tokens of the update.

    A token's reward is its own, where such are given, the response's at the last token, less ``token_kl`` times its KL.
    """
    mask = _present(scored)
    rewards = at_last([reward or 0.0 for reward in scored.rewards], mask)
    if scored.token_rewards is not None:
        rewards = rewards + mask_values(scored.token_rewards, mask)
    if config.token_kl:
        if scored.penalties is None:
            raise ValueError("token_kl needs penalties: the KL of each token from the reference policy")
        rewards = rewards - config.token_kl * mask_values(scored.penalties, mask)
    return whiten(returns_to_go(rewards, mask), mask, config.ddof)


def reinforce_pp_baseline(scored: Scored, config: AdvantageConfig) -> Tensor:
    """REINFORCE++ with a group baseline: less the group's mean, then whitened over all tokens of the update."""
    mask = _compared(scored)
    return whiten(spread(scored.by_group(scored.rewards, centre), mask), mask, config.ddof)


def pure(scored: Scored, config: AdvantageConfig) -> Tensor:
    """PURE (arXiv 2504.15275): returns of step rewards that were made min-form, less what the group's others earn.

    The baseline stands at each step's end: all that the others earn by all of their tokens, times the tokens of the
    step, or the mean of what each of them earns a step (both as in the authors' code). Tokens that part two steps
    (``separators``) are in no step, and have advantage 0. Whether the answer is right adds its own leave-one-out
    advantage.
    """
    mask = _compared(scored)
    rewards = mask_values(scored.tensor("token_rewards", "pure").double(), mask)
    ends = mask_values(scored.tensor("step_ends", "pure").double(), mask)
    by_token = config.pure_baseline == "token"
    apart = torch.zeros_like(mask) if scored.separators is None else mask_values(scored.separators, mask)
    units = _tokens_of_steps(mask - apart, ends) if by_token else ends
    if by_token:
        earned = _rate_of_others(scored, _where_there(rewards.sum(-1), mask), mask.sum(-1).tolist())
    else:
        means = rewards.sum(-1) / ends.sum(-1).clamp(min=1)
        earned = scored.by_group(_where_there(means, mask), _mean_of_others)
    weight = 1.0 if config.process_weight is None else config.process_weight
    found = weight * returns_to_go(rewards - spread(earned, mask) * units, mask) + _answer(scored, config, mask)
    return mask_values(found, mask - apart)


def prime(scored: Scored, config: AdvantageConfig) -> Tensor:
    """PRIME (arXiv 2502.01456): returns of implicit token rewards and of the answer, each less its group's, whitened.

    A token's reward ``r`` becomes ``n/(n-1) r - 1/(n-1) sum over the group of mean r``. Before that all are divided by
    the update's largest absolute return, so the scale of the process model cancels.
    """
    mask = _compared(scored)
    rewards = mask_values(scored.tensor("token_rewards", "prime").double(), mask)
    largest = float(returns_to_go(rewards, mask).abs().max()) if rewards.numel() else 0.0
    weight = PRIME_WEIGHT if config.process_weight is None else config.process_weight
    rewards = rewards * (weight / largest) if largest else rewards
    means = _where_there(rewards.sum(-1) / mask.sum(-1).clamp(min=1), mask)
    stretch = spread(scored.by_group(means, _stretch), mask)
    baseline = spread(scored.by_group(means, _sum_by_others), mask)
    process = returns_to_go(stretch * rewards - baseline, mask)
    return whiten(process + _answer(scored, config, mask), mask, config.ddof)


def verifree(scored: Scored, config: AdvantageConfig) -> Tensor:
    """VeriFree (arXiv 2505.21493): leave-one-out advantages on reasoning tokens, weights on the reference's tokens.

    The reward is the probability of the reference after the reasoning.
    """
    mask = _present(scored)
    advantages = scored.by_group(scored.rewards, leave_one_out)
    rewards = [reward or 0.0 for reward in scored.rewards]
    weights = {"reward": rewards, "advantage": advantages, "one": [1.0] * len(rewards)}[config.answer_weight]
    answer = scored.tensor("answer_mask", "verifree") > 0
    return torch.where(answer, spread(weights, mask), spread(advantages, mask))


def _present(scored: Scored) -> Tensor:
    """The mask, 0 in responses without a reward."""
    return scored.mask * scored.present[:, None]


def _compared(scored: Scored) -> Tensor:
    """The mask, 0 in responses without a reward, and in those that have nobody in their group to compare with."""
    mask = _present(scored)
    there = _where_there(mask.sum(-1), mask)
    return mask_values(mask, spread(scored.by_group(there, _stretch), mask))


def _where_there(values: Tensor, mask: Tensor) -> list[float | None]:
    """The values of responses that have a token that learns, else None."""
    learns = (mask.sum(-1) > 0).tolist()
    return [value if here else None for value, here in zip(values.tolist(), learns, strict=True)]


def _answer(scored: Scored, config: AdvantageConfig, mask: Tensor) -> Tensor:
    """The leave-one-out advantage of a right answer; without word of what is right there is none."""
    if scored.right is None:
        return torch.zeros_like(mask, dtype=torch.float64)
    weight = 1.0 if config.outcome_weight is None else config.outcome_weight
    return weight * spread(scored.by_group(scored.outcomes, leave_one_out), mask)


def _tokens_of_steps(mask: Tensor, ends: Tensor) -> Tensor:
    """At each step's end the number of its tokens that learn, 0 elsewhere."""
    so_far = mask.double().cumsum(-1)
    ended = (so_far * ends).cummax(-1).values
    before = torch.cat([torch.zeros_like(ended[:, :1]), ended[:, :-1]], dim=-1)
    return (so_far - before) * ends


def _rate_of_others(scored: Scored, totals: Scores, lengths: Sequence[float]) -> list[float]:
    """The sum of the others' totals by the sum of their lengths; 0 for a response that is alone."""
    found = [0.0] * len(totals)
    for rows in scored.members:
        there = [(row, total) for row in rows if (total := totals[row]) is not None]
        for row, _ in there:
            others = [(total, lengths[other]) for other, total in there if other != row]
            length = math.fsum(size for _, size in others)
            found[row] = math.fsum(total for total, _ in others) / length if length else 0.0
    return found


def _mean_of_others(values: Scores) -> list[float]:
    """0 for a response that is alone."""
    there = scored_values(values)
    return [0.0 if v is None or len(there) < 2 else (math.fsum(there) - v) / (len(there) - 1) for v in values]


def _stretch(values: Scores) -> list[float]:
    """``n / (n - 1)``; 0 for a response that is alone."""
    count = len(scored_values(values))
    return [0.0 if value is None or count < 2 else count / (count - 1) for value in values]


def _sum_by_others(values: Scores) -> list[float]:
    """The sum over the group, its own too, by ``n - 1``; 0 for a response that is alone."""
    there = scored_values(values)
    return [0.0 if value is None or len(there) < 2 else math.fsum(there) / (len(there) - 1) for value in values]
