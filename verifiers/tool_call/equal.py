"""Equality of JSON values: numbers by value, so 1 is 1.0; ``true`` is no number; texts character for character."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from collections.abc import Set as AbstractSet

from pydantic import JsonValue

from verifiers.tool_call.call import Call
from verifiers.tool_call.untyped import Untyped, readings


def difference(given: Call, wanted: Call, unordered: AbstractSet[str]) -> str:
    """Where two calls differ first, such as ``arguments.city``; empty where they are equal.

    ``unordered`` names the arguments whose arrays are compared without regard to order.
    """
    if given.name != wanted.name:
        return "name"
    for name in sorted(given.arguments.keys() | wanted.arguments.keys()):
        if name not in given.arguments or name not in wanted.arguments:
            return f"arguments.{name}"
        if not _equal(given.arguments[name], wanted.arguments[name], ordered=name not in unordered):
            return f"arguments.{name}"
    return ""


def _equal(ours: JsonValue, theirs: JsonValue, *, ordered: bool) -> bool:
    return any(_same(reading, theirs, ordered=ordered) for reading in readings(ours))


def _same(ours: JsonValue, theirs: JsonValue, *, ordered: bool) -> bool:
    if ordered or not isinstance(ours, list) or not isinstance(theirs, list):
        return identity(ours) == identity(theirs)
    return Counter(map(identity, ours)) == Counter(map(identity, theirs))


def identity(value: JsonValue) -> Hashable:
    """A key that two JSON values share exactly where they are equal; keys of objects have no order."""
    if isinstance(value, dict):
        return frozenset((key, identity(member)) for key, member in value.items())
    if isinstance(value, list):
        return tuple(map(identity, value))
    # the type keeps true from 1; an integer and a float of the same value are one number
    if isinstance(value, Untyped):
        return "str", str(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number", _digits(value)
    return type(value).__name__, value


def _digits(value: float) -> str:
    """A number as text: numbers hash predictably, and thousands that share a hash would take seconds to tell apart."""
    if isinstance(value, float) and not value.is_integer():
        return value.hex()
    return hex(int(value))
