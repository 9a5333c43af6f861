"""``base_and_bonus`` and ``penalised``: objectives that modulate one another instead of being added.

A base of 0 is not rescued by any bonus, and length never pays for a wrong answer. Sources: Trust Your Critic, in its
style; conciseness as in Efficient Reasoning via Reward Model, in its style.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from rewards.combine.base import Combination, Parts
from rewards.schema import Name, Share


def boost_base(base: float, bonus: float, weight: float) -> float:
    """``base (1 + w bonus)``."""
    return base * (1 + weight * bonus)


def mix_base(base: float, bonus: float, floor: float) -> float:
    """``base (floor + (1 - floor) bonus)``."""
    return base * (floor + (1 - floor) * bonus)


def conditional(base: float, bonus: float) -> float:
    """``base x bonus``."""
    return base * bonus


class BaseAndBonus(Combination):
    """The bonus is the weighted mean of the terms beside the base, cut to [0, 1]; without any the base stands alone."""

    method: Literal["base_and_bonus"]
    base: Name
    form: Literal["boost", "mix", "product"] = "boost"
    weight: float = Field(1.0, ge=0, description="of the bonus, in the form boost")
    floor: Share = Field(0.6, description="share of the base that is paid without a bonus, in the form mix")

    def term_names(self) -> tuple[str, ...]:
        return (self.base,)

    def combine(self, parts: Parts) -> float:
        base = parts[self.base].weighted
        others = [part for name, part in parts.items() if name != self.base]
        total = math.fsum(abs(part.weight) for part in others)
        if not total:
            return base
        bonus = min(max(math.fsum(part.weighted for part in others) / total, 0.0), 1.0)
        match self.form:
            case "boost":
                return boost_base(base, bonus, self.weight)
            case "mix":
                return mix_base(base, bonus, self.floor)
            case "product":
                return conditional(base, bonus)


class Penalised(Combination):
    """``base x product of (1 - |w| v)``: each other term in [0, 1] is a share that is taken off a positive base."""

    method: Literal["penalised"]
    base: Name

    def term_names(self) -> tuple[str, ...]:
        return (self.base,)

    def combine(self, parts: Parts) -> float:
        base = parts[self.base].weighted
        taken = [abs(part.weight) * part.value for name, part in parts.items() if name != self.base]
        # a penalty on a negative base would be a reward
        return base * math.prod(1 - min(max(share, 0.0), 1.0) for share in taken) if base > 0 else base
