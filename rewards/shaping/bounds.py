"""``clip``, ``affine`` and ``threshold``: cut a number off, move it, or make it a yes or no."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from rewards.shaping.base import OneShaping
from rewards.view import View


class Clip(OneShaping):
    """``min(max(x, low), high)``."""

    method: Literal["clip"]
    low: float = 0.0
    high: float = 1.0
    bounded: ClassVar[bool] = True

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low {self.low:g} must be below high {self.high:g}")
        return self

    def shape(self, value: float, view: View) -> float:
        return min(max(value, self.low), self.high)


class Affine(OneShaping):
    """``scale x + offset``."""

    method: Literal["affine"]
    scale: float = 1.0
    offset: float = 0.0

    def shape(self, value: float, view: View) -> float:
        return self.scale * value + self.offset


class Threshold(OneShaping):
    """``above`` from ``at_least`` on, else ``below``: all tests or nothing, for instance."""

    method: Literal["threshold"]
    at_least: float = 1.0
    above: float = 1.0
    below: float = 0.0
    bounded: ClassVar[bool] = True

    def shape(self, value: float, view: View) -> float:
        return self.above if value >= self.at_least else self.below
