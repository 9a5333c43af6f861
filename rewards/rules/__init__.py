"""Group rules: which groups the trainer should learn from, and why not the others."""

from __future__ import annotations

from rewards.plugin_kinds import kind_of
from rewards.rules.base import Decision, Rule

__all__ = ["RULES", "Decision", "Rule"]

RULES = kind_of(
    "group rule",
    "trueward.group_rules",
    Rule,
    "rule",
    {
        "accuracy_band": "rewards.rules.success:AccuracyBand",
        "dynamic_sampling": "rewards.rules.success:DynamicSampling",
        "one_sided": "rewards.rules.one_sided:OneSided",
        "policy_filtration": "rewards.rules.policy_filtration:PolicyFiltration",
        "semi_supervised": "rewards.rules.semi_supervised:SemiSupervised",
        "std_filter": "rewards.rules.spread:StdFilter",
        "zero_variance": "rewards.rules.spread:ZeroVarianceRule",
    },
)
