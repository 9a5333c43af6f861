"""Rules on the share of right responses: ``dynamic_sampling`` and ``accuracy_band``.

Both look at outcomes and never at the shaped reward. Sources: DAPO, arXiv 2503.14476; PRIME, arXiv 2502.01456.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from rewards.conditions import Conditions
from rewards.rules.base import KEPT, Decision, Rule
from rewards.schema import Share
from trueward.wire.reward import Group

UNKNOWN = Decision(False, "no_outcome")


class DynamicSampling(Rule):
    """Keeps groups with a right and a wrong response: the others have no gradient."""

    rule: Literal["dynamic_sampling"]

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        if group.success_rate is None:
            return UNKNOWN
        if group.success_rate in (0.0, 1.0):
            return Decision(False, "all_right" if group.success_rate else "all_wrong")
        return KEPT


class AccuracyBand(Rule):
    """Keeps groups whose success rate lies in [low, high]."""

    rule: Literal["accuracy_band"]
    low: Share = 0.2
    high: Share = Field(0.8)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low:g} must not be above high {self.high:g}")
        return self

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        if group.success_rate is None:
            return UNKNOWN
        if group.success_rate < self.low:
            return Decision(False, "too_hard")
        return Decision(False, "too_easy") if group.success_rate > self.high else KEPT
