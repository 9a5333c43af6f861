"""``confidence``: how sure the verdict is, as a gate or as a weight.

Sources of confidence: the verdict's own; the spread of an ensemble's scores; the share of votes for the winner; the
margin between the two most likely labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rewards.schema import Share
from rewards.shaping.base import OneShaping
from rewards.shaping.ensemble import variance
from rewards.view import Unshapeable, View


def agreement(scores: Sequence[float], scale: float) -> float:
    """``exp(-std / scale)`` of an ensemble's scores: 1 where they agree."""
    return math.exp(-math.sqrt(variance(scores, 0)) / scale)


def vote_share(votes: Sequence[float]) -> float:
    """The winner's share of the votes, given the number of each."""
    total = math.fsum(votes)
    return max(votes) / total if total > 0 else 0.0


def margin(probabilities: Sequence[float]) -> float:
    """The lead of the most likely label over the second."""
    ordered = sorted(probabilities, reverse=True)
    return ordered[0] - (ordered[1] if len(ordered) > 1 else 0.0)


class Confidence(OneShaping):
    """As a ``gate`` the value counts from ``at_least`` on and is ``otherwise`` below; as a ``weight`` it is scaled."""

    method: Literal["confidence"]
    use: Literal["gate", "weight"] = "gate"
    source: Literal["verdict", "spread", "votes", "margin"] = "verdict"
    evidence: str = Field("scores", description="the list of numbers in the evidence that the source reads")
    scale: float = Field(1.0, gt=0, description="spread at which agreement falls to 1/e")
    at_least: Share = 0.5
    otherwise: float = 0.0

    def shape(self, value: float, view: View) -> float:
        sure = self._sure(view)
        if self.use == "weight":
            return sure * value
        return value if sure >= self.at_least else self.otherwise

    def _sure(self, view: View) -> float:
        if self.source == "verdict":
            if view.verdict.confidence is None:
                raise Unshapeable("no_confidence", "the recipe uses the verdict's confidence, and it has none")
            return view.verdict.confidence
        numbers = view.numbers(self.evidence)
        if self.source == "spread":
            return agreement(numbers, self.scale)
        return min(max(vote_share(numbers) if self.source == "votes" else margin(numbers), 0.0), 1.0)
