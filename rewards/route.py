"""Routes: which terms a sample takes, by what it says of itself. The first match wins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from rewards.parts import AnyCombination, AnyShaping
from rewards.schema import Strict
from rewards.term import Term
from trueward.wire.sample import Sample


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _several_each(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {key: entry if isinstance(entry, list) else [entry] for key, entry in value.items()}


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]


class When(Strict):
    """All that is given must hold: one of the values each. ``answer_type`` and ``language`` stand in the metadata."""

    data_source: Texts = ()
    answer_type: Texts = ()
    language: Texts = ()
    metadata: Annotated[Mapping[str, tuple[JsonValue, ...]], BeforeValidator(_several_each)] = {}

    def matches(self, sample: Sample) -> bool:
        if self.data_source and sample.data_source not in self.data_source:
            return False
        return not self._of_metadata or all(value_of(sample, key) in wanted for key, wanted in self._of_metadata)

    @cached_property
    def _of_metadata(self) -> list[tuple[str, tuple[JsonValue, ...]]]:
        named = {"answer_type": self.answer_type, "language": self.language}
        return [*((key, wanted) for key, wanted in named.items() if wanted), *self.metadata.items()]

    @property
    def fields(self) -> list[str]:
        """What it looks at."""
        return [*(["data_source"] if self.data_source else []), *(key for key, _ in self._of_metadata)]


def value_of(sample: Sample, field: str) -> JsonValue:
    """What a sample says under a field of :class:`When`; None where it says nothing."""
    return sample.data_source if field == "data_source" else (sample.metadata or {}).get(field)


class Route(Strict):
    """Terms for the samples that match; ``combine`` and ``shaping`` default to the recipe's own."""

    when: When
    terms: tuple[Term, ...] = Field(min_length=1)
    combine: AnyCombination | None = None
    shaping: tuple[AnyShaping, ...] | None = None
