"""What may stand in a recipe as a shaping, a combination or a group rule: ours, and those of plug-ins.

Plug-ins are loaded here, after the classes that they derive from. One that cannot be loaded is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field

from rewards.combine import COMBINATIONS, Combination
from rewards.rules import RULES, Rule
from rewards.schema import Strict
from rewards.shaping import SHAPINGS, GroupShaping, OneShaping
from trueward.plugins import Kind


def _any_of(kind: Kind[type[Strict]], key: str) -> Any:
    return Annotated[Union[tuple(kind.load_all().values())], Field(discriminator=key)]  # noqa: UP007 - made of what is there


if TYPE_CHECKING:
    AnyShaping = OneShaping | GroupShaping
    AnyCombination = Combination
    AnyRule = Rule
else:
    AnyShaping = _any_of(SHAPINGS, "method")
    AnyCombination = _any_of(COMBINATIONS, "method")
    AnyRule = _any_of(RULES, "rule")
