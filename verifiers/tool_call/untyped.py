"""Argument values of call syntaxes that carry no types: what stands between XML tags is text alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

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
        yield json.loads(text)
    except (ValueError, RecursionError):
        return
