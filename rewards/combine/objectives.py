"""``mo_grpo``: each term is normalised over its group before they are added (arXiv 2509.22047).

The first half of GDPO (arXiv 2601.05242); its second, over the whole batch, is the trainer's:
:func:`trueward.estimators.objectives.whitened`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rewards.combine.base import GroupCombination, Parts
from trueward.estimators.objectives import sum_normalised


class Objectives(GroupCombination):
    """``sum of w (v - mean) / (std + epsilon)`` over the samples of the group that have scores."""

    method: Literal["mo_grpo"]
    ddof: Literal[0, 1] = 1
    epsilon: float = Field(1e-6, ge=0)

    def combine_group(self, group: Sequence[Parts | None]) -> list[float | None]:
        there = [parts for parts in group if parts is not None]
        names = list(dict.fromkeys(name for parts in there for name in parts))
        columns = {name: [parts[name].value if name in parts else None for parts in there] for name in names}
        weights = {name: next(parts[name].weight for parts in there if name in parts) for name in names}
        sums = iter(sum_normalised(columns, weights, ddof=self.ddof, epsilon=self.epsilon))
        return [None if parts is None else next(sums) for parts in group]
