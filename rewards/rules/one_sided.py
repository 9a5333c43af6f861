"""``one_sided``: rewards of +1 and -1 against a reference of which nearly all are the same (BRPO, arXiv 2506.00103)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from rewards.conditions import Conditions
from rewards.rules.base import KEPT, Decision, Rule
from rewards.schema import Share
from trueward.wire.reward import Group


class OneSided(Rule):
    """Drops groups whose mean reward lies further than ``limit`` from 0."""

    rule: Literal["one_sided"]
    limit: Share = 0.6

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        there = [reward for reward in rewards if reward is not None]
        if not there:
            return Decision(False, "no_scores")
        return Decision(False, "one_sided") if abs(fmean(there)) > self.limit else KEPT
