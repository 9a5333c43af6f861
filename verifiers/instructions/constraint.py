"""What a constraint is: an id, its arguments, and a check that says what it found.

A new constraint is a subclass in a module under ``sets`` with an ``id``, its arguments as fields and ``check``.
A check is linear in the text, whatever the text is, and never raises.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints


class Finding(NamedTuple):
    """Whether a text follows a constraint, and in a few words what was found in it."""

    followed: bool
    found: str


class Constraint(BaseModel):
    """One constraint with its arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: ClassVar[str]
    revised: ClassVar[bool] = False
    """Whether this is how its authors judge it now, beside the form first published under the same id."""

    def check(self, text: str) -> Finding:
        """What holds of a text that is not blank."""
        raise NotImplementedError


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a count is a number, not a boolean")
    return value


Count = Annotated[int, Field(ge=0, le=1_000_000), BeforeValidator(_no_boolean)]
Ordinal = Annotated[int, Field(ge=1, le=1_000_000), BeforeValidator(_no_boolean)]
Percentage = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False), BeforeValidator(_no_boolean)]
Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Phrases = Annotated[list[Phrase], Field(min_length=1, max_length=100)]
Passage = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
Verbatim = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
Relation = Literal["at least", "less than", "at most", "more than", "exactly"]

_HOLDS: dict[Relation, Callable[[int, int], bool]] = {
    "at least": operator.ge,
    "less than": operator.lt,
    "at most": operator.le,
    "more than": operator.gt,
    "exactly": operator.eq,
}


def compare_count(found: int, relation: Relation, wanted: int, noun: str) -> Finding:
    """The finding of a count, such as ``3 words, wanted at least 5``."""
    return Finding(_HOLDS[relation](found, wanted), f"{found} {noun}, wanted {relation} {wanted}")
