"""Combination: the terms of a sample made one number."""

from __future__ import annotations

from rewards.combine.arithmetic import Sum
from rewards.combine.base import Combination, GroupCombination, Part, Parts
from rewards.plugin_kinds import kind_of

__all__ = ["COMBINATIONS", "Combination", "GroupCombination", "Part", "Parts", "Sum"]

COMBINATIONS = kind_of(
    "combination",
    "trueward.combinations",
    Combination,
    "method",
    {
        "base_and_bonus": "rewards.combine.base_and_bonus:BaseAndBonus",
        "lexicographic": "rewards.combine.lexicographic:Lexicographic",
        "max": "rewards.combine.arithmetic:Max",
        "min": "rewards.combine.arithmetic:Min",
        "mo_grpo": "rewards.combine.objectives:Objectives",
        "penalised": "rewards.combine.base_and_bonus:Penalised",
        "product": "rewards.combine.arithmetic:Product",
        "soft_and": "rewards.combine.arithmetic:SoftAnd",
        "sum": "rewards.combine.arithmetic:Sum",
        "weighted_mean": "rewards.combine.arithmetic:WeightedMean",
    },
)
