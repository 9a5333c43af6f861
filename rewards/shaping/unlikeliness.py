"""``unlikeliness``: right answers that the policy thought likely are worth less than unlikely ones.

Source: Rewarding the Unlikely, He et al., arXiv 2506.02355 (option rank_penalty of their release).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import ClassVar, Literal

from rewards.schema import Share
from rewards.shaping.base import GroupShaping, Values
from rewards.view import Unshapeable, View


def unlikely(
    rewards: Sequence[float], logprobs: Sequence[float], right: Sequence[bool], penalty: float = 0.25
) -> list[float]:
    """``r - penalty |r| rank / G`` of right responses; wrong ones keep what they have.

    Rank 0 is the least likely of all; equal log-probabilities share the lower rank.
    """
    ordered = sorted(logprobs)
    return [
        reward - penalty * abs(reward) * ordered.index(logprob) / len(logprobs) if correct else reward
        for reward, logprob, correct in zip(rewards, logprobs, right, strict=True)
    ]


class Unlikeliness(GroupShaping):
    """Reads the mean of the sample's own token log-probabilities.

    Version 1 multiplied wrong responses too, so that with negative rewards a likely wrong one gained.
    """

    method: Literal["unlikeliness"]
    penalty: Share = 0.25
    version: ClassVar[int] = 2

    @property
    def reads(self) -> tuple[str, ...]:
        return ("logprobs",)

    def needs(self, view: View) -> None:
        _mean_logprob(view)

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        there = [(index, value) for index, value in enumerate(values) if value is not None]
        shaped = list(values)
        logprobs = [_mean_logprob(views[index]) for index, _ in there]
        if there and views[0].conditions.version(self.method, self.version) < 2:
            ordered = sorted(logprobs)
            factors = [1 - self.penalty * ordered.index(logprob) / len(logprobs) for logprob in logprobs]
            rewards = [value * factor for (_, value), factor in zip(there, factors, strict=True)]
        else:
            rewards = unlikely(
                [value for _, value in there], logprobs, [views[index].correct for index, _ in there], self.penalty
            )
        for (index, _), reward in zip(there, rewards, strict=True):
            shaped[index] = reward
        return shaped


def _mean_logprob(view: View) -> float:
    if view.sample.logprobs is None or not view.sample.logprobs.logprobs:
        raise Unshapeable("no_logprobs", "the recipe prices unlikely answers: send logprobs")
    return fmean(view.sample.logprobs.logprobs)
