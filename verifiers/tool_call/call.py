"""A tool call, and how one is read from JSON.

Spellings: ``{"name": ..., "arguments": {...}}``, with another of :data:`ARGUMENTS` for ``arguments`` or of
:data:`NAMES` for ``name``, or within ``function`` as chat APIs write it, or several in ``{"tool_calls": [...]}``;
arguments may be JSON text. Other keys (``id``, ``type``) say nothing. Duplicate keys and numbers that are not finite
are refused: what a call means must not depend on who reads it.
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple, Never

from pydantic import JsonValue

ARGUMENTS = ("arguments", "parameters", "args", "input")
"""Keys of a call's arguments: OpenAI's and Hermes', Llama's, LangChain's, Anthropic's."""

NAMES = ("name", "tool_name")
"""Keys of the name of its tool; the second is Cohere's."""


class MalformedCall(ValueError):
    """Not a tool call; the text says why."""


class Call(NamedTuple):
    """The name of a tool and its arguments by name."""

    name: str
    arguments: dict[str, JsonValue]

    def __str__(self) -> str:
        return f"{self.name}({json.dumps(self.arguments, ensure_ascii=False)})"


def call(value: object) -> Call:
    """The call that a JSON value stands for. Raises :class:`MalformedCall`."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict):
        raise MalformedCall("a call is a JSON object")
    names = [value[key] for key in NAMES if key in value]
    if len(names) != 1 or not isinstance(names[0], str) or not names[0]:
        raise MalformedCall("a call has a name")
    given = [value[key] for key in ARGUMENTS if key in value]
    if len(given) > 1:
        raise MalformedCall("a call has its arguments under one key")
    return Call(names[0], read_arguments(given[0] if given else None))


def calls(value: object) -> list[Call]:
    """The calls that a JSON value stands for: one, or a list of them. Raises :class:`MalformedCall`."""
    if isinstance(value, dict) and "name" not in value and value.get("tool_calls"):
        value = value["tool_calls"]
    return [call(one) for one in value] if isinstance(value, list) else [call(value)]


def parse_values(text: str) -> list[object]:
    """The JSON values in a text, one after another or parted by commas or semicolons, and nothing else.

    Raises :class:`MalformedCall`. Linear.
    """
    found: list[object] = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        value, end = parse_value(text, at)
        found.append(value)
        at = end_of_gap(text, end)
    return found


def parse_value(text: str, at: int) -> tuple[object, int]:
    """The JSON value that begins at a position, and where it ends. Raises :class:`MalformedCall`."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as failure:
        raise MalformedCall(f"not JSON: {str(failure)[:100]}") from None


def end_of_gap(text: str, at: int) -> int:
    """Where the blanks end that stand at a position, with a comma or semicolon before another value."""
    gap = _BETWEEN.match(text, at)
    return gap.end() if gap else at


def read_arguments(given: object) -> dict[str, JsonValue]:
    """The arguments that a JSON value, or JSON text, stands for. Raises :class:`MalformedCall`."""
    if isinstance(given, str):
        values = parse_values(given)
        if len(values) > 1:
            raise MalformedCall("the arguments are several JSON values")
        given = values[0] if values else None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise MalformedCall("the arguments are not a JSON object")
    return given


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise MalformedCall("an object names a key twice")
    return found


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise MalformedCall(f"the number {text[:40]} is out of range")
    return value


def _constant(text: str) -> Never:
    raise MalformedCall(f"{text} is not JSON")


_BETWEEN = re.compile(r"\s*+(?:[,;]\s*+(?=[\[{\"]))?")
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)
