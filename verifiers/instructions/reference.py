"""Constraints out of a reference: an object, or its JSON text, in one of two spellings.

``{"constraints": [{"id": ..., "kwargs": {...}}]}``, or the parallel lists of the data sets of IFEval and IFBench,
``{"instruction_id_list": [...], "kwargs": [...]}``, whose arguments that are null count as not given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictStr, ValidationError
from typing_extensions import TypedDict

from trueward.authoring.verifier import Abstain
from verifiers.instructions.constraint import Constraint
from verifiers.legible import legible

MOST = 50
"""Constraints that one reference may have."""
LONGEST = 200_000
"""Characters of a reference that is JSON text."""

_Arguments = dict[str, JsonValue] | None


class _Item(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str
    arguments: _Arguments = Field(default=None, alias="kwargs")


class Items(BaseModel):
    model_config = ConfigDict(extra="forbid")

    constraints: list[_Item] = Field(min_length=1)


class InstructionRow(TypedDict):
    """A row of the data sets, of which the other columns say nothing here."""

    instruction_id_list: list[StrictStr]
    kwargs: list[_Arguments]


class _Lists(BaseModel):
    model_config = ConfigDict(extra="forbid")

    instruction_id_list: list[str] = Field(min_length=1)
    arguments: list[_Arguments] = Field(alias="kwargs")


def constraints(reference: JsonValue, catalogue: Mapping[str, type[Constraint]]) -> list[Constraint]:
    """The constraints that a response must follow. Raises Abstain where they cannot be read."""
    if isinstance(reference, str):
        reference = _parsed(reference)
    if not isinstance(reference, dict):
        raise Abstain("reference_type", 'a reference is an object {"constraints": [{"id": ..., "kwargs": {...}}]}')
    try:
        items = _items(reference)
    except ValidationError as invalid:
        raise Abstain("reference_unparsable", f"the reference is not valid: {_said(invalid)}") from None
    if len(items) > MOST:
        raise Abstain("reference_too_large", f"the reference has {len(items)} constraints, more than {MOST}")
    return [_constraint(item, catalogue) for item in items]


def _parsed(text: str) -> JsonValue:
    if len(text) > LONGEST:
        raise Abstain("reference_too_large", f"the reference has more than {LONGEST} characters")
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as failure:
        raise Abstain("reference_unparsable", "the reference is a text, but not JSON") from failure
    return value


def _items(reference: dict[str, JsonValue]) -> list[_Item]:
    if "instruction_id_list" not in reference:
        return Items.model_validate(reference).constraints
    # a whole row of the data set is as good: its other columns say nothing here
    lists = _Lists.model_validate({name: reference.get(name) for name in ("instruction_id_list", "kwargs")})
    if len(lists.arguments) != len(lists.instruction_id_list):
        raise Abstain("reference_unparsable", "instruction_id_list and kwargs differ in length")
    return [
        _Item(id=name, kwargs=arguments)
        for name, arguments in zip(lists.instruction_id_list, lists.arguments, strict=True)
    ]


def _constraint(item: _Item, catalogue: Mapping[str, type[Constraint]]) -> Constraint:
    kind = catalogue.get(item.id)
    if kind is None:
        raise Abstain("unknown_constraint", f"there is no constraint {item.id[:100]!r}")
    try:
        return kind.model_validate({name: value for name, value in (item.arguments or {}).items() if value is not None})
    except ValidationError as invalid:
        raise Abstain("reference_unparsable", f"the arguments of {item.id} are not valid: {_said(invalid)}") from None


def _said(invalid: ValidationError) -> str:
    problems = invalid.errors(include_url=False, include_context=False, include_input=False)
    return legible("; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems[:3])[:300])
