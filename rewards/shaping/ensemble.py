"""``ensemble``: several scores of one response, from the verdict's evidence, made one.

Methods: ``mean``; ``wco`` (worst case: the minimum); ``uwo`` (mean less the variance, Coste et al., arXiv 2310.02743,
whose best-of-n code divides the variance by n and whose PPO code by n - 1); ``robust`` (a blend of the nominal score
and the minimum, Reward-Robust RLHF, arXiv 2409.15360). Scores of different models must be standardised before:
``means`` and ``stds``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Literal, Self

from pydantic import Field, model_validator

from rewards.schema import Share
from rewards.shaping.base import OneShaping
from rewards.view import Unshapeable, View


def variance(scores: Sequence[float], ddof: int) -> float:
    """Variance with ``n - ddof``; 0 where there are no more than ``ddof`` scores."""
    if len(scores) <= ddof:
        return 0.0
    middle = fmean(scores)
    return math.fsum((score - middle) ** 2 for score in scores) / (len(scores) - ddof)


def uncertainty_weighted(scores: Sequence[float], coefficient: float = 0.5, ddof: int = 0) -> float:
    """``mean - coefficient x variance`` (UWO): 0.5 for best-of-n, 0.1 for PPO."""
    return fmean(scores) - coefficient * variance(scores, ddof)


def robust(scores: Sequence[float], nominal: float, trust: float = 0.6) -> float:
    """``trust x nominal + (1 - trust) x min``."""
    return trust * nominal + (1 - trust) * min(scores)


class Ensemble(OneShaping):
    """Replaces the score by that of the members in the evidence (``scores``, and ``stds`` for ``surest``)."""

    method: Literal["ensemble"]
    form: Literal["mean", "wco", "uwo", "robust"] = "mean"
    members: str = "scores"
    coefficient: float = Field(0.5, ge=0)
    ddof: Literal[0, 1] = 0
    trust: Share = 0.6
    nominal: Literal["mean", "surest"] = "mean"
    means: tuple[float, ...] = ()
    stds: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _standardised_alike(self) -> Self:
        if len(self.means) != len(self.stds) or any(std <= 0 for std in self.stds):
            raise ValueError("means and stds have one entry a member, and stds are positive")
        return self

    def shape(self, value: float, view: View) -> float:
        scores = self._standardised(view.numbers(self.members))
        match self.form:
            case "mean":
                return fmean(scores)
            case "wco":
                return min(scores)
            case "uwo":
                return uncertainty_weighted(scores, self.coefficient, self.ddof)
            case "robust":
                return robust(scores, self._nominal(scores, view), self.trust)

    def _nominal(self, scores: Sequence[float], view: View) -> float:
        if self.nominal == "mean":
            return fmean(scores)
        doubts = view.numbers("stds")
        if len(doubts) != len(scores):
            raise Unshapeable("no_evidence", "the evidence's stds are not one a member")
        return scores[doubts.index(min(doubts))]

    def _standardised(self, scores: list[float]) -> list[float]:
        if not self.means:
            return scores
        if len(scores) != len(self.means):
            raise Unshapeable("no_evidence", f"the recipe standardises {len(self.means)} members, not {len(scores)}")
        return [(score - mean) / std for score, mean, std in zip(scores, self.means, self.stds, strict=True)]
