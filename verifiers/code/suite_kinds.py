"""The kinds of tests, as a reference writes them: every part is checked when it is read."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    StrictStr,
    Tag,
    model_validator,
)

from verifiers.code.literal import value
from verifiers.code.params import LanguageName

MOST = 10_000
"""Tests of a kind that a reference may hold."""

_NAME = r"^[^\W\d][\w$]*$"
_DOTTED = r"^[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)?$"

Name = Annotated[StrictStr, Field(max_length=200)]


class Part(BaseModel):
    """A part of a reference: a name that is not known is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=True)


class Stdio(Part):
    """One run: what it reads, and what it must write. ``answer`` is for the checker."""

    stdin: StrictStr = ""
    stdout: StrictStr | None = None
    answer: StrictStr = ""
    name: Name = ""


class _Called(Part):
    args: list[JsonValue] | dict[str, JsonValue] = []
    kwargs: dict[str, JsonValue] = {}

    @model_validator(mode="after")
    def _readable(self) -> Self:
        # both are read here, so that what cannot be read is refused here
        _ = self.positional, self.named
        return self

    @property
    def positional(self) -> list[object]:
        """Raises ValueError, as :attr:`named` does."""
        found = value(self.args)
        if not isinstance(found, (list, tuple)):
            raise ValueError("args is a list")
        return list(found)

    @property
    def named(self) -> dict[str, object]:
        found = value(self.kwargs)
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
            raise ValueError("kwargs is an object with texts as names")
        return found


class Call(_Called):
    """A call of a function, or of a method of a fresh object (``Class.method``), and what it must return."""

    function: Annotated[StrictStr, Field(pattern=_DOTTED, max_length=200)]
    expected: JsonValue
    name: Name = ""

    @model_validator(mode="after")
    def _expected(self) -> Self:
        value(self.expected)
        return self


class Step(_Called):
    """A method of one object; without ``expected`` it only must not raise."""

    method: Annotated[StrictStr, Field(pattern=_NAME, max_length=200)]
    expected: JsonValue = None

    @model_validator(mode="after")
    def _expected(self) -> Self:
        value(self.expected)
        return self

    @property
    def compared(self) -> bool:
        return "expected" in self.model_fields_set


class Scenario(_Called):
    """An object and calls of its methods in order: one test."""

    class_: Annotated[StrictStr, Field(alias="class", pattern=_NAME, max_length=200)]
    methods: Annotated[list[Step], Field(min_length=1, max_length=MOST)]
    name: Name = ""


class Source(Part):
    """A program of the reference's author: a checker, or an interactor."""

    language: LanguageName
    source: Annotated[StrictStr, Field(min_length=1)]


class Interaction(Part):
    """What the interactor finds in its file ``input.txt``."""

    input: StrictStr = ""
    name: Name = ""


class Interactive(Part):
    interactor: Source
    tests: Annotated[list[Interaction], Field(max_length=MOST)] = [Interaction()]


class Encoded(Part):
    """A file whose bytes are no text."""

    base64: Annotated[StrictStr, AfterValidator(lambda text: _decodable(text))]


# the tags of unions begin with a mark, so that they can be left out of the place of an error
AnyCall = Annotated[
    Annotated[Call, Tag("~function")] | Annotated[Scenario, Tag("~class")],
    Discriminator(lambda written: "~class" if isinstance(written, dict) and "class" in written else "~function"),
]
File = Annotated[
    Annotated[StrictStr, Tag("~text")] | Annotated[Encoded, Tag("~encoded")],
    Discriminator(lambda written: "~encoded" if isinstance(written, (dict, Encoded)) else "~text"),
]
Assertion = Annotated[StrictStr, Field(min_length=1, pattern=r"\S")]


def _decodable(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as failure:
        raise ValueError(f"not base64: {failure}") from failure
    return text
