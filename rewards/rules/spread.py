"""Rules on the spread of the rewards: ``zero_variance`` and RLPR's ``std_filter`` (arXiv 2506.18254)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from pydantic import Field

from rewards.conditions import Conditions
from rewards.rules.base import KEPT, Decision, Rule
from rewards.schema import Share
from trueward.wire.reward import Group


class ZeroVarianceRule(Rule):
    """Drops groups whose rewards are all the same, or missing."""

    rule: Literal["zero_variance"]

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        if group.scored == 0:
            return Decision(False, "no_scores")
        return Decision(False, "zero_variance") if group.zero_variance else KEPT


def move_average(average: float | None, batch: float, momentum: float) -> float:
    """``momentum x average + (1 - momentum) x batch``; the first batch is taken as it is."""
    return batch if average is None else momentum * average + (1 - momentum) * batch


class StdFilter(Rule):
    """Drops groups whose standard deviation is below ``share`` times the run's moving average of it.

    The average is gathered from step ``collect_from`` and used from ``filter_from`` on; a request without a step counts
    as late. Published shares: 0.5 (Qwen), 0.9 (Llama), 1.0 (Gemma).
    """

    rule: Literal["std_filter"]
    share: float = Field(0.5, ge=0)
    momentum: Share = 0.99
    collect_from: int = Field(6, ge=0)
    filter_from: int = Field(11, ge=0)

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        average = conditions.state.averages.get(self.remembers)
        if average is None or (conditions.step is not None and conditions.step < self.filter_from):
            return KEPT
        if group.std is None:
            return Decision(False, "no_spread")
        return Decision(False, "low_spread") if group.std < self.share * average else KEPT

    @property
    def remembers(self) -> str:
        return "std_filter"

    def learn(self, average: float | None, groups: Sequence[Group], step: int | None) -> float | None:
        spreads = [group.std for group in groups if group.std is not None and math.isfinite(group.std)]
        if not spreads or (step is not None and step < self.collect_from):
            return average
        return move_average(average, fmean(spreads), self.momentum)
