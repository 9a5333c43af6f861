"""What a combination does: the worths of a sample's terms, by name and with their weights, made one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from rewards.schema import Strict
from trueward.former_names import accept_former_method


class Part(NamedTuple):
    """One term's contribution: its shaped value (0 where its gate is shut) and its weight at this step."""

    value: float
    weight: float

    @property
    def weighted(self) -> float:
        return self.weight * self.value


Parts = Mapping[str, Part]
"""The paid terms of one sample in the recipe's order; an optional term without a score is absent."""


class Combination(Strict):
    """Combines the parts of one sample; never called without a part."""

    of_group: ClassVar[bool] = False
    additive: ClassVar[bool] = False

    def combine(self, parts: Parts) -> float:
        raise NotImplementedError

    def combine_group(self, group: Sequence[Parts | None]) -> list[float | None]:
        """One number a sample of a group, None for None; by default each by itself."""
        return [None if parts is None else self.combine(parts) for parts in group]

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        accept_former_method(cls, "named", "term_names")

    def term_names(self) -> tuple[str, ...]:
        """Terms that the combination names: they must exist."""
        return ()


class GroupCombination(Combination):
    """Combines a group's parts together; alone a sample is combined as a sum."""

    of_group: ClassVar[bool] = True

    def combine(self, parts: Parts) -> float:
        return sum(part.weighted for part in parts.values())

    def combine_group(self, group: Sequence[Parts | None]) -> list[float | None]:
        raise NotImplementedError
