"""``ppo_c``: confidence that the response states pays off where the reward is above its running mean.

Source: Leng et al., arXiv 2410.09724. The confidence is a term's score in [0, 1], else the verdict's own, else 0.5;
whoever measures it strips it from the text before the reward model sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from pydantic import Field

from rewards.schema import Name
from rewards.shaping.base import OneShaping
from rewards.view import View

ABSENT = 0.5


def calibrated(value: float, running: float, confidence: float, weight: float = 2.0, form: str = "difference") -> float:
    """``r + w (r - running)(s - .5)``, or with ``threshold`` ``r ± w |r| (s - .5)`` by the side of the mean."""
    if form == "difference":
        return value + weight * (value - running) * (confidence - 0.5)
    side = 1.0 if value >= running else -1.0
    return value + side * weight * abs(value) * (confidence - 0.5)


class Calibration(OneShaping):
    """Rewards are cut to ±``clip`` first; the running mean moves by ``rate`` a batch and begins at ``start``."""

    method: Literal["ppo_c"]
    weight: float = Field(2.0, ge=0)
    form: Literal["difference", "threshold"] = "difference"
    confidence: Name | None = Field(None, description="the term whose score is the confidence")
    start: float = 0.0
    rate: float = Field(0.1, gt=0, le=1)
    clip: float = Field(10.0, gt=0)

    def shape(self, value: float, view: View) -> float:
        cut = min(max(value, -self.clip), self.clip)
        running = view.conditions.state.averages.get(self.remembers, self.start)
        return calibrated(cut, running, self._confidence(view), self.weight, self.form)

    def _confidence(self, view: View) -> float:
        stated = view.verdict.confidence if self.confidence is None else view.score(self.confidence)
        return ABSENT if stated is None else min(max(stated, 0.0), 1.0)

    @property
    def remembers(self) -> str:
        return f"ppo_c:{self.term or 'total'}"

    def learned(self, average: float | None, values: Sequence[float]) -> float:
        cut = [min(max(value, -self.clip), self.clip) for value in values]
        return self.rate * fmean(cut) + (1 - self.rate) * (self.start if average is None else average)
