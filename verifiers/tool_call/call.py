"""A tool call, and how one is read from JSON.

Spellings: ``{"name": ..., "arguments": {...}}``, with ``parameters`` for ``arguments``, or within ``function`` as
chat APIs write it; arguments may be JSON text. Other keys (``id``, ``type``) say nothing. Duplicate keys and
numbers that are not finite are refused: what a call means must not depend on who reads it.
"""

from __future__ import annotations

import json
import math
from typing import NamedTuple, Never

from pydantic import JsonValue


class Malformed(ValueError):
    """Not a tool call; the text says why."""


class Call(NamedTuple):
    """The name of a tool and its arguments by name."""

    name: str
    arguments: dict[str, JsonValue]

    def __str__(self) -> str:
        return f"{self.name}({json.dumps(self.arguments, ensure_ascii=False)})"


def call(value: object) -> Call:
    """The call that a JSON value stands for. Raises :class:`Malformed`."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict):
        raise Malformed("a call is a JSON object")
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise Malformed("a call has a name")
    given = [value[key] for key in ("arguments", "parameters") if key in value]
    if len(given) > 1:
        raise Malformed("a call has either arguments or parameters")
    return Call(name, _arguments(given[0] if given else None))


def calls(value: object) -> list[Call]:
    """The calls that a JSON value stands for: one, or a list of them. Raises :class:`Malformed`."""
    return [call(one) for one in value] if isinstance(value, list) else [call(value)]


def parsed(text: str) -> list[object]:
    """The JSON values in a text, one after another, and nothing else. Raises :class:`Malformed`. Linear."""
    found: list[object] = []
    at = len(text) - len(text.lstrip())
    try:
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            found.append(value)
            at = end
            while at < len(text) and text[at].isspace():
                at += 1
    except (ValueError, RecursionError) as failure:
        raise Malformed(f"not JSON: {str(failure)[:100]}") from None
    return found


def _arguments(given: object) -> dict[str, JsonValue]:
    if isinstance(given, str):
        values = parsed(given)
        if len(values) > 1:
            raise Malformed("the arguments are several JSON values")
        given = values[0] if values else None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise Malformed("the arguments are not a JSON object")
    return given


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Malformed("an object names a key twice")
    return found


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Malformed(f"the number {text[:40]} is out of range")
    return value


def _constant(text: str) -> Never:
    raise Malformed(f"{text} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)
