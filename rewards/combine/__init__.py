"""Combination: the terms of a sample made one number."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rewards.combine.arithmetic import Max, Min, Product, SoftAnd, Sum, WeightedMean
from rewards.combine.base import Combination, GroupCombination, Part, Parts
from rewards.combine.base_and_bonus import BaseAndBonus, Penalised
from rewards.combine.lexicographic import Lexicographic
from rewards.combine.objectives import Objectives

AnyCombination = Annotated[
    BaseAndBonus | Lexicographic | Max | Min | Objectives | Penalised | Product | SoftAnd | Sum | WeightedMean,
    Field(discriminator="method"),
]

__all__ = ["AnyCombination", "Combination", "GroupCombination", "Part", "Parts", "Sum"]
