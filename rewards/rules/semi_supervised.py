"""``semi_supervised``: a prompt without a label is kept where it is learned as labelled ones are.

The success rates of the prompt so far are compared, by correlation, with the mean history of labelled prompts (TraPO,
in its style). Rates are never negative, so what tells two histories apart is how they move about their means: an
opposite one has -1, and one that does not move is like no other. Histories come with the request's conditions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import ClassVar, Literal

from pydantic import Field

from rewards.conditions import Conditions
from rewards.rules.base import KEPT, Decision, Rule
from trueward.wire.reward import Group


def correlation(history: Sequence[float], labelled: Sequence[float]) -> float | None:
    """Pearson's, of the latest common stretch of both histories, in [-1, 1]; None where one of them does not move."""
    length = min(len(history), len(labelled))
    if length < 2:
        return None
    ours, theirs = (_centred(list(one)[-length:]) for one in (history, labelled))
    return None if not any(ours) or not any(theirs) else min(max(_cosine(ours, theirs), -1.0), 1.0)


def likeness(history: Sequence[float], labelled: Sequence[float]) -> float:
    """Version 1: the cosine of both as they are, in [0, 1]; 0 where one is empty or all 0."""
    length = min(len(history), len(labelled))
    return _cosine(list(history)[-length:], list(labelled)[-length:]) if length else 0.0


class SemiSupervised(Rule):
    """Drops prompts without a reference whose history correlates less than ``at_least`` with that of labelled ones.

    Until both histories have ``warmup`` rates, such a prompt is dropped (``warming_up``): its history is noted all the
    same. Version 1 compared without centring, knew no warm-up and so dropped next to nothing.
    """

    rule: Literal["semi_supervised"]
    at_least: float = Field(0.5, ge=-1, le=1)
    warmup: int = Field(3, ge=2, description="success rates that both histories need")
    version: ClassVar[int] = 2

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        history = conditions.histories.get(group.group)
        if conditions.version(self.rule, self.version) < 2:
            return self._uncentred(history, conditions.labelled_history)
        if labelled:
            return KEPT
        known = history or ()
        if min(len(known), len(conditions.labelled_history)) < self.warmup:
            return Decision(False, "warming_up")
        like = correlation(known, conditions.labelled_history)
        if like is None:
            return Decision(False, "history_is_flat")
        return KEPT if like >= self.at_least else Decision(False, "unlike_labelled")

    def _uncentred(self, history: Sequence[float] | None, labelled: Sequence[float]) -> Decision:
        if history is None or likeness(history, labelled) >= self.at_least:
            return KEPT
        return Decision(False, "unlike_labelled")


def _centred(values: Sequence[float]) -> list[float]:
    """All 0 where the values are equal, whatever rounding says of their mean."""
    if min(values) == max(values):
        return [0.0] * len(values)
    middle = fmean(values)
    return [value - middle for value in values]


def _cosine(ours: Sequence[float], theirs: Sequence[float]) -> float:
    norms = math.hypot(*ours) * math.hypot(*theirs)
    return math.fsum(a * b for a, b in zip(ours, theirs, strict=True)) / norms if norms else 0.0
