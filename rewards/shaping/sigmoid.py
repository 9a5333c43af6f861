"""``sigmoid``, ``par`` and ``log_sigmoid``: a reward model's unbounded score against that of other responses.

Sources: PAR, Fu et al., arXiv 2502.18770 (one reference is enough, the released scripts use ten); log-sigmoid
centred rewards and their sum as a logical AND, Wang et al., arXiv 2402.00742.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import ClassVar, Literal

from pydantic import Field

from rewards.shaping.base import OneShaping
from rewards.view import View
from trueward.estimators.scores import sigmoid

GAUSSIAN_85 = 1.036
"""Standard deviations above the mean at which the 85th percentile of a normal distribution lies."""


def log_sigmoid(value: float) -> float:
    """``log(1 / (1 + e^-x))``, at most 0, without overflow."""
    return min(value, 0.0) - math.log1p(math.exp(-abs(value)))


def preference(value: float, references: Sequence[float], steepness: float = 1.0) -> float:
    """Mean probability of being preferred to each reference: ``mean of sigmoid(k (x - r))``."""
    return fmean(sigmoid(steepness * (value - reference)) for reference in references)


def percentile_85(scores: Sequence[float]) -> float:
    """The 85th percentile of a normal distribution fitted to the scores: mean + 1.036 std (n in the denominator)."""
    return fmean(scores) + GAUSSIAN_85 * pstdev(scores)


class Sigmoid(OneShaping):
    """``sigmoid(steepness (x - centre))``."""

    method: Literal["sigmoid"]
    centre: float = 0.0
    steepness: float = Field(1.0, gt=0)
    bounded: ClassVar[bool] = True

    def shape(self, value: float, view: View) -> float:
        return sigmoid(self.steepness * (value - self.centre))


class Par(OneShaping):
    """Preference as reward: against the sample's ``baseline_scores``, in [0, 1]."""

    method: Literal["par"]
    steepness: float = Field(1.0, gt=0)
    bounded: ClassVar[bool] = True

    @property
    def reads(self) -> tuple[str, ...]:
        return ("baseline_scores",)

    def shape(self, value: float, view: View) -> float:
        return preference(value, view.baseline_scores, self.steepness)


class LogSigmoid(OneShaping):
    """``log sigmoid(x - reference)``; the reference is ``centre``, else the 85th percentile of ``baseline_scores``."""

    method: Literal["log_sigmoid"]
    centre: float | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        return ("baseline_scores",) if self.centre is None else ()

    def shape(self, value: float, view: View) -> float:
        return log_sigmoid(value - (percentile_85(view.baseline_scores) if self.centre is None else self.centre))
