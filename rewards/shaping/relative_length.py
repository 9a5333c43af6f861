"""Lengths in tokens against those of the group: ``kimi_length``, ``o1_pruner``, ``efficient_length``, ``genrm_length``.

Each adds ``factor`` times its term. Sources: Kimi k1.5, arXiv 2501.12599, in its style; O1-Pruner, arXiv 2501.12570,
and Training Language Models to Reason Efficiently, arXiv 2502.04463, both as in the code of Self-Aligned Reward; NVIDIA
NeMo Gym, genrm_compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, pstdev
from typing import Literal

from pydantic import Field

from rewards.schema import Share
from rewards.shaping.base import GroupShaping, Values
from rewards.view import View
from trueward.estimators.scores import drop_missing, sigmoid


def kimi(lengths: Sequence[float], correct: Sequence[bool]) -> list[float]:
    """``0.5 - (len - min)/(max - min)``, for wrong answers at most 0; all 0 where lengths are equal."""
    low, high = min(lengths), max(lengths)
    if low == high:
        return [0.0] * len(lengths)
    terms = [0.5 - (length - low) / (high - low) for length in lengths]
    return [term if right else min(term, 0.0) for term, right in zip(terms, correct, strict=True)]


def o1_pruner(lengths: Sequence[float], correct: Sequence[bool]) -> list[float]:
    """``-clip((len - mean)/len, -1, 1)``, right or wrong; 0 for an empty response."""
    middle = fmean(lengths)
    return [-min(max((length - middle) / length, -1.0), 1.0) if length else 0.0 for length in lengths]


def efficient(lengths: Sequence[float], correct: Sequence[bool]) -> list[float]:
    """``-(2 sigmoid((len - mean)/(std + 1e-5)) - 1)`` of the right answers; 0 for wrong ones, and for a single one."""
    right_lengths = [length for length, right in zip(lengths, correct, strict=True) if right]
    if len(right_lengths) <= 1:
        return [0.0] * len(lengths)
    middle, spread = fmean(right_lengths), pstdev(right_lengths) + 1e-5
    return [
        -(2 * sigmoid((length - middle) / spread) - 1) if right else 0.0
        for length, right in zip(lengths, correct, strict=True)
    ]


def centre_lengths(lengths: Sequence[float]) -> list[float]:
    """``1 - (len - min)/(max - min)`` less its mean; all 0 where lengths are equal."""
    low, high = min(lengths), max(lengths)
    if low == high:
        return [0.0] * len(lengths)
    weights = [1 - (length - low) / (high - low) for length in lengths]
    return [weight - fmean(weights) for weight in weights]


class _RelativeLength(GroupShaping):
    factor: float = Field(1.0, ge=0)

    @property
    def reads(self) -> tuple[str, ...]:
        return ("tokens",)

    def needs(self, view: View) -> None:
        _ = view.tokens

    def _added(
        self, values: Values, views: Sequence[View], terms: Callable[[Sequence[float], Sequence[bool]], list[float]]
    ) -> list[float | None]:
        there = [index for index, value in enumerate(values) if value is not None]
        if not there:
            return list(values)
        shares = terms([views[index].tokens for index in there], [views[index].correct for index in there])
        shaped = list(values)
        for index, share in zip(there, shares, strict=True):
            shaped[index] = (values[index] or 0.0) + self.factor * share
        return shaped


class KimiLength(_RelativeLength):
    method: Literal["kimi_length"]

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        return self._added(values, views, kimi)


class O1Pruner(_RelativeLength):
    method: Literal["o1_pruner"]

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        return self._added(values, views, o1_pruner)


class EfficientLength(_RelativeLength):
    method: Literal["efficient_length"]

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        return self._added(values, views, efficient)


class GenrmLength(_RelativeLength):
    """``bonus`` goes to the shortest, where its number is among the best ``top`` of the group."""

    method: Literal["genrm_length"]
    bonus: float = Field(0.0, ge=0)
    top: Share = 0.2

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        shaped = self._added(values, views, lambda lengths, _: centre_lengths(lengths))
        there = [(views[index].tokens, index) for index, value in enumerate(values) if value is not None]
        best = sorted(drop_missing(values), reverse=True)
        if len(there) > 1 and self.bonus:
            (shortest, index), (second, _) = sorted(there)[:2]
            if shortest < second and (values[index] or 0.0) >= best[max(0, int(len(best) * self.top) - 1)]:
                shaped[index] = (shaped[index] or 0.0) + self.bonus
        return shaped
