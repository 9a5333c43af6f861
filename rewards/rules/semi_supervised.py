"""``semi_supervised``: a prompt without a label is kept where it is learned as labelled ones are.

The success rates of the prompt so far are compared, by cosine, with the mean history of labelled prompts (TraPO, in its
style). Histories come with the request's conditions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rewards.conditions import Conditions
from rewards.rules.base import KEPT, Decision, Rule
from trueward.types import Group


def likeness(history: Sequence[float], labelled: Sequence[float]) -> float:
    """Cosine of the latest common stretch of both histories, in [0, 1]; 0 where one is empty or all 0."""
    length = min(len(history), len(labelled))
    if length == 0:
        return 0.0
    ours, theirs = list(history)[-length:], list(labelled)[-length:]
    norms = math.hypot(*ours) * math.hypot(*theirs)
    return math.fsum(a * b for a, b in zip(ours, theirs, strict=True)) / norms if norms else 0.0


class SemiSupervised(Rule):
    rule: Literal["semi_supervised"]
    at_least: float = Field(0.5, ge=-1, le=1)

    def decide(self, group: Group, rewards: Sequence[float | None], conditions: Conditions) -> Decision:
        history = conditions.histories.get(group.group)
        if history is None:
            return KEPT
        like = likeness(history, conditions.labelled_history)
        return KEPT if like >= self.at_least else Decision(False, "unlike_labelled")
