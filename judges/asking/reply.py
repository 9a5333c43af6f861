"""A judge's reply as JSON of a stated form, or none at all: what is outside of the form is never a verdict.

Servers that can are made to keep to the form; those that cannot write around it. So the reply is read as a whole, then
the last object in it that is of the form counts. Thinking before the reply is left out. Linear in the reply's length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from pydantic import JsonValue

if TYPE_CHECKING:
    import jsonschema

LONGEST = 200_000
_TRIED = 16
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


class Unreadable(Exception):
    """The reply is not of the form; the words are ours, and never the reply's."""


class Form:
    """A JSON Schema (draft 2020-12) of objects."""

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        self.schema = dict(schema)
        self.text = json.dumps(self.schema)

    @cached_property
    def _validator(self) -> jsonschema.Draft202012Validator:
        import jsonschema

        jsonschema.Draft202012Validator.check_schema(self.schema)
        return jsonschema.Draft202012Validator(self.schema)

    def read(self, reply: str) -> dict[str, JsonValue]:
        """Raises :class:`Unreadable`."""
        if len(reply) > LONGEST:
            raise Unreadable("it is too long")
        from verifiers.extract.thinking import answer_start

        start = answer_start(reply, opened=False)
        if start is None:
            raise Unreadable("its thinking does not end")
        last = None
        for value in _objects(reply[start:]):
            if self._validator.is_valid(value):
                return value
            last = value if last is None else last
        if last is None:
            raise Unreadable("it has no JSON object")
        raise Unreadable(f"its JSON object is not of the form: {self._breach(last)}")

    def _breach(self, value: dict[str, JsonValue]) -> str:
        """What of the schema an object breaks, named by the schema alone."""
        from jsonschema.exceptions import best_match

        error = best_match(self._validator.iter_errors(value))
        if error.validator == "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{', '.join(missing)} missing"
        return "/".join(map(str, error.absolute_schema_path))


def _objects(text: str) -> Iterator[dict[str, JsonValue]]:
    """The objects of a reply: the whole of it, those in code blocks, then those that stand in it; the last first."""
    whole = _parsed(text)
    if whole is not None:
        yield whole
        return
    for block in reversed(_FENCED.findall(text)[-_TRIED:]):
        found = _parsed(block)
        if found is not None:
            yield found
    yield from reversed(_standing(text))


def _standing(text: str) -> list[dict[str, JsonValue]]:
    """The last outermost objects that stand in a text."""
    found: list[dict[str, JsonValue]] = []
    place = 0
    tried = 0
    while (place := text.find("{", place)) >= 0 and tried < 4 * _TRIED:
        tried += 1
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        if isinstance(value, dict):
            found.append(value)
    return found[-_TRIED:]


def _parsed(text: str) -> dict[str, JsonValue] | None:
    try:
        value = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """An object that says a key twice has been written by two."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refused, object_pairs_hook=_once)
