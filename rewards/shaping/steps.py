"""Rewards for steps and tokens, from the scores of steps and tokens in a verdict's evidence.

``min_form``: nearly the worst step's, shared out by ``softmax(-score / temperature)`` (PURE, arXiv 2504.15275).
``clip_and_delta``: clipped at a threshold, then the difference to the next step (arXiv 2410.15115, in its style;
experimental). ``renorm``: the step's score and the answer's, less 1 (PPR, arXiv 2509.25598, in its style;
experimental). ``steps`` and ``tokens`` pass them on as they are (``tokens``: PRIME, arXiv 2502.01456).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import Field

from rewards.shaping.base import OneShaping
from rewards.view import Unshapeable, View


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


def renormalise(steps: Sequence[float], outcome: float) -> list[float]:
    """``r_k + outcome - 1``, both in [0, 1]: at most 0 where the answer is wrong (0), at least 0 where right (1)."""
    return [step + outcome - 1 for step in steps]


class StepShaping(OneShaping):
    """Replaces the score by the sum of the rewards of steps, and gives these (``step_rewards``)."""

    steps: str = Field("step_scores", description="the list of numbers in the evidence")

    def shape(self, value: float, view: View) -> float:
        return math.fsum(self.step_rewards(view))

    def step_rewards(self, view: View) -> list[float]:
        """One reward a step; their sum is the shaped value."""
        raise NotImplementedError

    def step_spans(self, view: View, count: int) -> list[tuple[int, int]] | None:
        """Where the steps stand: ``turn_spans`` for ``turn_scores``, and ``step_spans`` where there are none such."""
        own = f"{self.steps.removesuffix('_scores')}_spans"
        return view.spans(own, count) or view.spans("step_spans", count)


class MinForm(StepShaping):
    method: Literal["min_form"]
    temperature: float = Field(0.1, gt=0)

    def step_rewards(self, view: View) -> list[float]:
        return min_form(view.numbers(self.steps), self.temperature)


class ClipAndDelta(StepShaping):
    """Replaces the score: these rewards sum to what the first step is worth, so a step that is said again earns
    nothing, however the verifier made one score of them. The answer's own reward is another term's.

    Version 1 added them to the verifier's score.
    """

    method: Literal["clip_and_delta"]
    version: ClassVar[int] = 2
    threshold: float | None = Field(None, description="scores from here on are worth 0; without it nothing is clipped")

    def shape(self, value: float, view: View) -> float:
        old = view.conditions.version(self.method, self.version) < 2
        return super().shape(value, view) + (value if old else 0.0)

    def step_rewards(self, view: View) -> list[float]:
        return clip_and_delta(view.numbers(self.steps), self.threshold)


class Renorm(StepShaping):
    """Scores of steps in [0, 1] become ``r_k + outcome - 1``, with the score of the answer's verdict as the outcome.

    The term itself is worth 0 then: the outcome is in each step already, and more steps are no more reward.
    """

    method: Literal["renorm"]

    def shape(self, value: float, view: View) -> float:
        _ = self.step_rewards(view)
        return 0.0

    def step_rewards(self, view: View) -> list[float]:
        steps, outcome = view.numbers(self.steps), view.outcome
        if outcome is None:
            raise Unshapeable("no_score", "renorm adds the answer's score to each step, and the answer has none")
        if not all(0 <= one <= 1 for one in (*steps, outcome)):
            raise Unshapeable("out_of_range", "renorm takes scores of steps and of the answer in [0, 1]")
        return renormalise(steps, outcome)


class Steps(StepShaping):
    """The score stays; the scores of steps are their rewards.

    With ``last: outcome`` the last one's is the score of the answer's verdict: IGPO's turns, of which the last answers.
    """

    method: Literal["steps"]
    last: Literal["own", "outcome"] = Field(
        "own", description="the last step's reward: its own score, or the score of the answer's verdict"
    )

    def shape(self, value: float, view: View) -> float:
        _ = self.step_rewards(view)
        return value

    def step_rewards(self, view: View) -> list[float]:
        steps = view.numbers(self.steps)
        if self.last == "own":
            return steps
        if view.outcome is None:
            raise Unshapeable("no_score", "the last step's reward is the answer's score, and the answer has none")
        return [*steps[:-1], view.outcome]


class TokensShaping(OneShaping):
    """The score stays; the scores of tokens are their rewards (``token_rewards``)."""

    method: Literal["tokens"]
    tokens: str = Field("token_scores", description="the list of numbers in the evidence")

    def shape(self, value: float, view: View) -> float:
        _ = self.token_rewards(view)
        return value

    def token_rewards(self, view: View) -> list[float]:
        """One reward a token, in the order of the evidence."""
        return view.numbers(self.tokens)
