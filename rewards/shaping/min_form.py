"""``min_form``: step scores made one reward that is nearly the worst step's, and a reward for each step.

Source: PURE, Cheng et al., arXiv 2504.15275. Steps are weighted by ``softmax(-score / temperature)``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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


class MinForm(OneShaping):
    """Replaces the score by that of the steps in the evidence (a list of numbers, by default ``step_scores``)."""

    method: Literal["min_form"]
    steps: str = "step_scores"
    temperature: float = Field(0.1, gt=0)

    def shape(self, value: float, view: View) -> float:
        return math.fsum(self.step_rewards(view))

    def step_rewards(self, view: View) -> list[float]:
        """One reward a step; their sum is the shaped value."""
        return min_form(view.numbers(self.steps), self.temperature)
