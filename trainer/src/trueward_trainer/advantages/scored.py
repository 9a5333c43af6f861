"""What is known of the responses of one update, and the numbers of the estimators."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor

from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome
from trueward_trainer.kl import Estimator


class AdvantageConfig(BaseModel):
    """Numbers of the estimators; each reads those that its line in ``docs/rlvr.md`` names."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    ddof: Literal[0, 1] = Field(default=1, description="spreads divide by n - ddof")
    epsilon: float = Field(default=1e-6, ge=0, description="grpo: added to the spread")
    scale: float = Field(default=1.0, gt=0, description="a fixed number that all advantages are divided by")
    right_weight: float = Field(default=0.1, ge=0, description="w_reinforce: the advantage of a right response")
    false_positive: float = Field(default=0.0, ge=0, lt=1, description="debiased: P(accepted | wrong)")
    false_negative: float = Field(default=0.0, ge=0, lt=1, description="debiased: P(rejected | right)")
    token_kl: float = Field(default=0.0, ge=0, description="reinforce_pp: coefficient of the KL in the token reward")
    token_kl_estimator: Estimator = Field(default="k1", description="reinforce_pp: which KL the penalties are of")
    outcome_weight: float | None = Field(
        default=None, ge=0, description="pure, prime, capo: weight of the answer being right; default 1, 1 and 2"
    )
    process_weight: float | None = Field(
        default=None,
        ge=0,
        description="pure, prime, capo, vps: weight of the step or token rewards; default 1, 5, 1 and 1",
    )
    pure_baseline: Literal["token", "step"] = Field(
        default="token", description="pure: what the others earn a token, times the step's tokens, or a step"
    )
    answer_weight: Literal["reward", "advantage", "one"] = Field(
        default="reward", description="verifree: weight of the reference's tokens"
    )


class Advantages(NamedTuple):
    """``values`` is ``[B, T]``, 0 where the mask is; ``learns`` is ``[B]``, false for responses that take no part.

    Multiply the mask of the batch by ``learns``: neither a missing reward nor a response that the method drops then
    counts in a mean over tokens.
    """

    values: Tensor
    learns: Tensor


@dataclass(frozen=True, slots=True)
class Scored:
    """B responses: ``rewards``, ``groups`` and ``mask [B, T]`` (1 on tokens that learn); what else a method needs.

    A reward of None is missing: that response enters no statistic and has advantage 0. ``right`` says whether the
    answer is right (None where nobody judged that); ``weights`` are those of a forward correction. ``token_rewards``
    has each token's reward, or each step's at the step's last token, where ``step_ends`` is 1; ``separators`` is 1 on
    tokens that part two steps; ``penalties`` is the KL of each token; ``answer_mask`` is that of
    :class:`trueward_trainer.batch.Batch`. All of these are ``[B, T]``.
    """

    rewards: Sequence[float | None]
    groups: Sequence[Hashable]
    mask: Tensor
    right: Sequence[bool | None] | None = None
    weights: Sequence[float | None] | None = None
    token_rewards: Tensor | None = None
    step_ends: Tensor | None = None
    penalties: Tensor | None = None
    answer_mask: Tensor | None = None
    separators: Tensor | None = None

    def __post_init__(self) -> None:
        rows = [self.rewards, self.groups, *(given for given in (self.right, self.weights) if given is not None)]
        if any(len(given) != len(self.mask) for given in rows):
            raise ValueError(f"{len(self.mask)} responses, but {[len(given) for given in rows]} values of them")
        if not all(reward is None or math.isfinite(reward) for reward in self.rewards):
            raise ValueError("a reward is not finite; a missing one is None")

    @classmethod
    def of(
        cls,
        rewards: Sequence[Reward],
        groups: Sequence[Hashable],
        mask: Tensor,
        *,
        token_rewards: Tensor | None = None,
        step_ends: Tensor | None = None,
        penalties: Tensor | None = None,
        answer_mask: Tensor | None = None,
        separators: Tensor | None = None,
    ) -> Self:
        """From what the service says; responses that the recipe leaves out of learning count as missing."""
        there = [takes_part(reward) for reward in rewards]
        return cls(
            [reward.reward if here else None for reward, here in zip(rewards, there, strict=True)],
            groups,
            mask,
            [is_right(reward) if here else None for reward, here in zip(rewards, there, strict=True)],
            [reward.weight if here else None for reward, here in zip(rewards, there, strict=True)],
            token_rewards,
            step_ends,
            penalties,
            answer_mask,
            separators,
        )

    @property
    def present(self) -> Tensor:
        """``[B]``: the responses that have a reward."""
        return torch.tensor([reward is not None for reward in self.rewards], device=self.mask.device)

    @property
    def judged(self) -> Tensor:
        """``[B]``: the responses that have a reward, and of which somebody says whether they are right."""
        return torch.tensor([outcome is not None for outcome in self.outcomes], device=self.mask.device)

    @property
    def outcomes(self) -> list[float | None]:
        """1 for right and 0 for wrong; the rewards themselves where nothing else says what is right."""
        if self.right is None:
            return list(self.rewards)
        return [
            None if right is None or reward is None else float(right)
            for right, reward in zip(self.right, self.rewards, strict=True)
        ]

    def tensor(self, name: Literal["token_rewards", "step_ends", "answer_mask"], method: str) -> Tensor:
        """A tensor that the method cannot do without. Raises ValueError where it is not given."""
        found: Tensor | None = getattr(self, name)
        if found is None:
            raise ValueError(f"the advantages {method} need {name}")
        return found

    def by_group(
        self, values: Sequence[float | None], estimator: Callable[[list[float | None]], list[float]]
    ) -> list[float]:
        """The estimator's numbers for the values of each group, in the order of the responses."""
        found = [0.0] * len(values)
        for rows in self.members:
            for row, advantage in zip(rows, estimator([values[row] for row in rows]), strict=True):
                found[row] = advantage
        return found

    @property
    def members(self) -> list[list[int]]:
        """The rows of each group."""
        held: dict[Hashable, list[int]] = {}
        for row, group in enumerate(self.groups):
            held.setdefault(group, []).append(row)
        return list(held.values())


def takes_part(reward: Reward) -> bool:
    """Whether anything is learnt from it: it is there, and the recipe leaves it in."""
    return reward.reward is not None and reward.kept is not False


def is_right(reward: Reward) -> bool | None:
    """Whether the answer is right; None where it is missing, or was only measured."""
    if reward.outcome.missing or reward.outcome is Outcome.SCORED:
        return None
    return reward.outcome is Outcome.CORRECT


def is_mixed(rewards: Sequence[Reward]) -> bool:
    """Whether a group has a right answer and one that is not, those apart that take no part: dynamic sampling (DAPO).

    It goes by what is right, not by the shaped reward (arXiv 2503.14476). What was only measured is neither.
    """
    return {True, False} <= {is_right(reward) for reward in rewards if takes_part(reward)}
