"""``sum``, ``weighted_mean``, ``product``, ``min``, ``max`` and ``soft_and``."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from rewards.combine.base import Combination, Parts
from rewards.shaping.sigmoid import log_sigmoid


class Sum(Combination):
    """``sum of w v``."""

    method: Literal["sum"]
    additive: ClassVar[bool] = True

    def combine(self, parts: Parts) -> float:
        if len(parts) == 1:
            (part,) = parts.values()
            return part.weight * part.value
        return math.fsum([part.weight * part.value for part in parts.values()])


class WeightedMean(Combination):
    """``sum of w v / sum of |w|``; 0 where all weights are 0."""

    method: Literal["weighted_mean"]
    additive: ClassVar[bool] = True

    def combine(self, parts: Parts) -> float:
        total = math.fsum(abs(part.weight) for part in parts.values())
        return math.fsum(part.weighted for part in parts.values()) / total if total else 0.0


class Product(Combination):
    """``product of w v``: one 0 makes all 0."""

    method: Literal["product"]

    def combine(self, parts: Parts) -> float:
        return math.prod(part.weighted for part in parts.values())


class Min(Combination):
    """The worst ``w v``."""

    method: Literal["min"]

    def combine(self, parts: Parts) -> float:
        return min(part.weighted for part in parts.values())


class Max(Combination):
    """The best ``w v``."""

    method: Literal["max"]

    def combine(self, parts: Parts) -> float:
        return max(part.weighted for part in parts.values())


class SoftAnd(Combination):
    """``sum of w log sigmoid(v)``: the log of a logical AND, at most 0, ruled by the worst property.

    Source: Wang et al., arXiv 2402.00742. Values are scores less their reference, weights are not negative.
    """

    method: Literal["soft_and"]

    def combine(self, parts: Parts) -> float:
        return math.fsum(part.weight * log_sigmoid(part.value) for part in parts.values())
