"""``z_score``, ``rank`` and ``min_max``: a number by its standing within the group. Missing ones take no part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from rewards.shaping.base import GroupShaping, Values
from rewards.view import View
from trueward.estimators.advantage import standardise
from trueward.estimators.scores import drop_missing


def ranks(values: Sequence[float]) -> list[float]:
    """The share of the others that each one beats, ties counting half: in [0, 1], 0.5 for a single one."""
    if len(values) < 2:
        return [0.5] * len(values)
    return [
        (sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2) / (len(values) - 1)
        for value in values
    ]


class ZScore(GroupShaping):
    """``(x - mean) / (std + epsilon)``; 0 without spread."""

    method: Literal["z_score"]
    ddof: Literal[0, 1] = 1
    epsilon: float = Field(1e-6, ge=0)

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        shaped = standardise(values, ddof=self.ddof, epsilon=self.epsilon)
        return [None if value is None else new for value, new in zip(values, shaped, strict=True)]


class RankShaping(GroupShaping):
    """The share of the others that it beats."""

    method: Literal["rank"]
    bounded: ClassVar[bool] = True

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        order = iter(ranks(drop_missing(values)))
        return [None if value is None else next(order) for value in values]


class MinMax(GroupShaping):
    """``(x - min) / (max - min)``; 0 without spread."""

    method: Literal["min_max"]
    bounded: ClassVar[bool] = True

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        there = drop_missing(values)
        if not there or min(there) == max(there):
            return [None if value is None else 0.0 for value in values]
        low, width = min(there), max(there) - min(there)
        return [None if value is None else (value - low) / width for value in values]
