"""Checklists as callers send them: for each turn of the user a list of yes-or-no items with weights.

``metadata.checklist`` is one, ``metadata.checklists`` several of the same conversation, by different annotators.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample

MOST_TURNS = 64


class Item(BaseModel):
    """``required``: without it the conversation ends with this turn, and later turns earn nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    question: Annotated[str, Field(min_length=1, max_length=4000)]
    weight: Annotated[float, Field(gt=0)] = 1.0
    focus_on: Annotated[str, Field(max_length=1000)] = ""
    required: bool = False


Turn = Annotated[list[Item], Field(max_length=64)]


class Checklist(BaseModel):
    """The items of each turn; a turn without items is not paid."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turns: Annotated[list[Turn], Field(min_length=1, max_length=MOST_TURNS)]

    @field_validator("turns")
    @classmethod
    def _something(cls, turns: list[Turn]) -> list[Turn]:
        if not any(turns):
            raise ValueError("no turn has an item")
        return turns

    def weights(self, turn: int) -> list[float]:
        """Of a turn's items, with the sum 1."""
        whole = sum(item.weight for item in self.turns[turn])
        return [item.weight / whole for item in self.turns[turn]]


_SEVERAL = TypeAdapter(Annotated[list[Checklist], Field(min_length=1, max_length=8)])


def checklists_of(sample: Sample) -> list[Checklist]:
    """Raises :class:`trueward.Abstain` where there is none, or none that can be read."""
    metadata = sample.metadata or {}
    found = metadata.get("checklists")
    if found is None and metadata.get("checklist") is not None:
        found = [metadata["checklist"]]
    if found is None:
        raise Abstain("no_checklist", "this judge needs metadata.checklist: {turns: [[{question, weight}, ...], ...]}")
    try:
        lists = _SEVERAL.validate_python(found)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Abstain("bad_checklist", f"metadata.checklist cannot be read: {place}: {first['msg']}"[:300]) from None
    if len({len(one.turns) for one in lists}) > 1:
        raise Abstain("bad_checklist", "the checklists of one conversation have different numbers of turns")
    return lists
