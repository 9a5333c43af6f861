"""``unlikeliness``: right answers that the policy thought likely are worth less than unlikely ones.

Source: Rewarding the Unlikely, He et al., arXiv 2506.02355 (option rank_penalty of their release).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from rewards.schema import Share
from rewards.shaping.base import GroupShaping, Values
from rewards.view import Unshapeable, View


def unlikely(rewards: Sequence[float], logprobs: Sequence[float], penalty: float = 0.25) -> list[float]:
    """``r (1 - penalty x rank / G)``: rank 0 is the least likely; equal log-probabilities share the lower rank."""
    ordered = sorted(logprobs)
    return [
        reward * (1 - penalty * ordered.index(logprob) / len(logprobs))
        for reward, logprob in zip(rewards, logprobs, strict=True)
    ]


class Unlikeliness(GroupShaping):
    """Reads the mean of the sample's own token log-probabilities."""

    method: Literal["unlikeliness"]
    penalty: Share = 0.25

    def needs(self, view: View) -> None:
        _mean_logprob(view)

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        there = [(index, value) for index, value in enumerate(values) if value is not None]
        shaped = list(values)
        rewards = unlikely(
            [value for _, value in there], [_mean_logprob(views[index]) for index, _ in there], self.penalty
        )
        for (index, _), reward in zip(there, rewards, strict=True):
            shaped[index] = reward
        return shaped


def _mean_logprob(view: View) -> float:
    if view.sample.logprobs is None or not view.sample.logprobs.logprobs:
        raise Unshapeable("no_logprobs", "the recipe prices unlikely answers: send logprobs")
    return fmean(view.sample.logprobs.logprobs)
