"""``lexicographic``: the first term decides, later ones break its ties."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rewards.combine.base import Combination, Parts


def encode_order(values: list[float], resolution: float) -> float:
    """One number in [0, 1] that orders as the values do, one after the other, on a grid of ``resolution``.

    Each value is cut to [0, 1] and rounded to the grid, then read as a digit: a later one never outweighs a step of
    an earlier one.
    """
    steps = round(1 / resolution)
    number = 0
    for value in values:
        number = number * (steps + 1) + round(min(max(value, 0.0), 1.0) * steps)
    return number / float((steps + 1) ** len(values) - 1)


class Lexicographic(Combination):
    """In the order of the recipe's terms; weights are not used."""

    method: Literal["lexicographic"]
    resolution: float = Field(0.01, ge=0.001, le=1.0)

    def combine(self, parts: Parts) -> float:
        return encode_order([part.value for part in parts.values()], self.resolution)
