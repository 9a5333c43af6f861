"""Parts of recipes: a shaping, a combination and a group rule."""

from collections.abc import Sequence
from statistics import median
from typing import Literal

from trueward.wire.reward import Group
from trueward_server.authoring import Combination, Conditions, Decision, OneShaping, Parts, Rule, View


class LateAnswer(OneShaping):
    """Takes a share of what is paid for a response of more than ``most`` characters."""

    method: Literal["late_answer"]
    most: int = 2_000
    share: float = 0.5

    def shape(self, value: float, view: View) -> float:
        return value * (1 - self.share) if len(view.sample.response_text) > self.most else value


class Median(Combination):
    """The median of what the terms are worth, whatever their weights."""

    method: Literal["median"]

    def combine(self, parts: Parts) -> float:
        return median(part.value for part in parts.values())


class EnoughJudged(Rule):
    """Drops groups of which less than ``share`` was judged."""

    rule: Literal["enough_judged"]
    share: float = 0.5

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        judged = sum(reward is not None for reward in rewards)
        return Decision(True) if judged >= self.share * len(rewards) else Decision(False, "too_few_judged")
