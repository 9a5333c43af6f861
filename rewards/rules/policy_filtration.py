"""``policy_filtration``: responses are drawn again by how extreme their reward is, where a reward model errs least.

Source: PF-PPO, arXiv 2409.06957.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rewards.conditions import Conditions
from rewards.rules.base import Decision, Rule
from trueward.wire.reward import Group

Form = Literal["pow", "max_min", "max_random"]


def probabilities(rewards: Sequence[float | None], form: Form = "pow", power: float = 2.0) -> list[float]:
    """Probabilities that sum to 1: ``|r|^power``, best and worst alone, or 0.4 for the best and 0.1 for each other.

    A missing reward has 0. Each weight is raised by 1e-8, so that rewards that are all 0 are drawn alike.
    """
    there = [reward for reward in rewards if reward is not None]
    if not there:
        return [0.0] * len(rewards)
    weights = [0.0 if reward is None else _weight(reward, there, form, power) + 1e-8 for reward in rewards]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _weight(reward: float, there: Sequence[float], form: Form, power: float) -> float:
    match form:
        case "pow":
            largest = max(abs(other) for other in there)
            return (abs(reward) / largest) ** power if largest else 0.0
        case "max_min":
            return float(reward in (max(there), min(there)))
        case "max_random":
            return 0.4 if reward == max(there) else 0.1


class PolicyFiltration(Rule):
    """Keeps the group and gives each response its probability of being drawn."""

    rule: Literal["policy_filtration"]
    form: Form = "pow"
    power: float = Field(2.0, gt=0)

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        return Decision(True, weights=probabilities(rewards, self.form, self.power))
