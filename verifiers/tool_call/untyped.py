"""Argument values of call syntaxes that carry no types: what stands between XML tags is text alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pydantic import JsonValue

from verifiers.tool_call.call import MalformedCall, parse_values
from verifiers.tool_call.python import python_literals

_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None, "none": None}


class Untyped(str):
    """A text that may stand for itself or for the JSON value that it writes."""

    __slots__ = ()


def readings(value: JsonValue) -> Iterator[JsonValue]:
    """What a value may mean: itself, and for an untyped one the JSON value that its text is, too."""
    if not isinstance(value, Untyped):
        yield value
        return
    text = str(value)
    yield text
    if text.strip().lower() in _WORDS:
        yield _WORDS[text.strip().lower()]
        return
    try:
        [read] = parse_values(text)
    except (MalformedCall, ValueError):
        # servers read what is no JSON as Python's literal
        yield from python_literals(text)
        return
    yield cast(JsonValue, read)
