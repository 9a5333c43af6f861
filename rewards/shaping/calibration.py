"""``ppo_c``: confidence that the response states pays off where the reward is above its running mean.

Source: Leng et al., arXiv 2410.09724. The confidence is what the response itself states: the score in [0, 1] of the
term that ``confidence`` names, whose verifier reads it; 0.5, which changes nothing, where there is none. How sure a
verifier is of its verdict is another thing, and is not priced.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import ClassVar, Literal

from pydantic import Field

from rewards.schema import Name
from rewards.shaping.base import OneShaping
from rewards.view import View

ABSENT = 0.5


def calibrate(value: float, running: float, confidence: float, weight: float = 2.0, form: str = "difference") -> float:
    """``r + w (r - running)(s - .5)``, or with ``threshold`` ``r ± w |r| (s - .5)`` by the side of the mean."""
    if form == "difference":
        return value + weight * (value - running) * (confidence - 0.5)
    side = 1.0 if value >= running else -1.0
    return value + side * weight * abs(value) * (confidence - 0.5)


class CalibrationShaping(OneShaping):
    """Rewards are cut to ±``clip`` first; the running mean moves by ``rate`` a batch and begins at ``start``.

    Version 1 took the verdict's own confidence where no term was named.
    """

    method: Literal["ppo_c"]
    weight: float = Field(2.0, ge=0)
    form: Literal["difference", "threshold"] = "difference"
    confidence: Name | None = Field(None, description="the term whose score is the confidence")
    start: float = 0.0
    rate: float = Field(0.1, gt=0, le=1)
    clip: float = Field(10.0, gt=0)
    version: ClassVar[int] = 2

    def shape(self, value: float, view: View) -> float:
        cut = min(max(value, -self.clip), self.clip)
        running = view.conditions.state.averages.get(self.remembers, self.start)
        return calibrate(cut, running, self._confidence(view), self.weight, self.form)

    def _confidence(self, view: View) -> float:
        if self.confidence is not None:
            stated = view.score(self.confidence)
        else:
            old = view.conditions.version(self.method, self.version) < 2
            stated = view.verdict.confidence if old else None
        return ABSENT if stated is None else min(max(stated, 0.0), 1.0)

    @property
    def remembers(self) -> str:
        return f"ppo_c:{self.term or 'total'}"

    def learn(self, average: float | None, values: Sequence[float]) -> float:
        cut = [min(max(value, -self.clip), self.clip) for value in values]
        return self.rate * fmean(cut) + (1 - self.rate) * (self.start if average is None else average)
