"""Group rules: which groups the trainer should learn from, and why not the others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rewards.rules.base import Decision, Rule
from rewards.rules.one_sided import OneSided
from rewards.rules.policy_filtration import PolicyFiltration
from rewards.rules.semi_supervised import SemiSupervised
from rewards.rules.spread import StdFilter, ZeroVarianceRule
from rewards.rules.success import AccuracyBand, DynamicSampling

AnyRule = Annotated[
    AccuracyBand | DynamicSampling | OneSided | PolicyFiltration | SemiSupervised | StdFilter | ZeroVarianceRule,
    Field(discriminator="rule"),
]

__all__ = ["AnyRule", "Decision", "Rule"]
