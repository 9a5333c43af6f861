"""Rewards for steps and tokens, from the scores of steps and tokens in a verdict's evidence.

``min_form``: nearly the worst step's, shared out by ``softmax(-score / temperature)`` (PURE, arXiv 2504.15275).
``clip_and_delta``: clipped at a threshold, then the difference to the next step (arXiv 2410.15115, in its style;
experimental). ``steps`` and ``tokens`` pass them on as they are (``tokens``: PRIME, arXiv 2502.01456).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field

from rewards.shaping.base import OneShaping
from rewards.view import View


def min_form(steps: Sequence[float], temperature: float = 0.1) -> list[float]:
    """Each step's share ``w_k r_k``; they sum to between the minimum (T to 0) and the mean (T to infinity)."""
    worst = min(steps)
    weights = [math.exp((worst - step) / temperature) for step in steps]
    total = math.fsum(weights)
    return [weight / total * step for weight, step in zip(weights, steps, strict=True)]


def clip_and_delta(steps: Sequence[float], threshold: float | None) -> list[float]:
    """``min(r_k - threshold, 0)``, then ``r_k - r_(k+1)``; the answer's step, the last, has 0.

    Without a threshold nothing is clipped. What follows telescopes, so that a step said twice earns nothing.
    """
    clipped = [step if threshold is None else min(step - threshold, 0.0) for step in steps[:-1]]
    return [*(one - after for one, after in pairwise([*clipped, 0.0])), 0.0]


class StepShaping(OneShaping):
    """Replaces the score by the sum of the rewards of steps, and gives these (``step_rewards``)."""

    steps: str = Field("step_scores", description="the list of numbers in the evidence")

    def shape(self, value: float, view: View) -> float:
        return math.fsum(self.step_rewards(view))

    def step_rewards(self, view: View) -> list[float]:
        """One reward a step; their sum is the shaped value."""
        raise NotImplementedError


class MinForm(StepShaping):
    method: Literal["min_form"]
    temperature: float = Field(0.1, gt=0)

    def step_rewards(self, view: View) -> list[float]:
        return min_form(view.numbers(self.steps), self.temperature)


class ClipAndDelta(StepShaping):
    """Added to the score, which stays that of the whole: these rewards of steps sum to the first one's alone."""

    method: Literal["clip_and_delta"]
    threshold: float | None = Field(None, description="scores from here on are worth 0; without it nothing is clipped")

    def shape(self, value: float, view: View) -> float:
        return value + super().shape(value, view)

    def step_rewards(self, view: View) -> list[float]:
        return clip_and_delta(view.numbers(self.steps), self.threshold)


class Steps(StepShaping):
    """The score stays; the scores of steps are their rewards."""

    method: Literal["steps"]

    def shape(self, value: float, view: View) -> float:
        _ = self.step_rewards(view)
        return value

    def step_rewards(self, view: View) -> list[float]:
        return view.numbers(self.steps)


class Tokens(OneShaping):
    """The score stays; the scores of tokens are their rewards (``token_rewards``)."""

    method: Literal["tokens"]
    tokens: str = Field("token_scores", description="the list of numbers in the evidence")

    def shape(self, value: float, view: View) -> float:
        _ = self.token_rewards(view)
        return value

    def token_rewards(self, view: View) -> list[float]:
        """One reward a token, in the order of the evidence."""
        return view.numbers(self.tokens)
