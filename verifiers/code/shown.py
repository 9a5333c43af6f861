"""Excerpts of texts and values, as full feedback shows them: legible and short.

What is shown is whatever a program wrote or returned, so little text is made of it that is not shown: Python writes no
integer of a million digits at all, a set of a million items is not sorted, and a fraction is not written whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

from verifiers.legible import legible

LONGEST = 300

_DEEPEST = 4
_ITEMS = 12
_CHARACTERS = 120
_BITS = 400
"""Integers up to this length are written in digits: 120 of them."""


def excerpt(text: str | bytes) -> str:
    """The text's beginning and end, where it is long."""
    if isinstance(text, bytes):
        text = text[: 4 * LONGEST].decode(errors="replace") + text[4 * LONGEST :][-4 * LONGEST :].decode(
            errors="replace"
        )
    text = text.strip()
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    return legible(text)


def format_value(value: object) -> str:
    """A value as Python writes it, cut in depth, width and length: whatever a program returned."""
    return excerpt(_written(value, _DEEPEST))


def _written(value: Any, depth: int) -> str:
    kind = type(value)
    if kind in _BRACKETS:
        opening, closing = _BRACKETS[kind]
        return f"{opening}{_items(value, depth, _written)}{',' if kind is tuple and len(value) == 1 else ''}{closing}"
    if issubclass(kind, dict):
        pairs = f"{{{_items(value.items(), depth, _pair)}}}"
        return pairs if kind is dict else f"{kind.__name__}({pairs})"
    write = _SCALARS.get(kind)
    if write is not None:
        return write(value)
    return f"{kind.__name__}({_items(value, depth, _written)})" if isinstance(value, Collection) else kind.__name__


def _pair(pair: tuple[object, object], depth: int) -> str:
    return f"{_written(pair[0], depth)}: {_written(pair[1], depth)}"


def _items(items: Collection[Any], depth: int, write: Callable[[Any, int], str]) -> str:
    if depth == 0:
        return "..." if len(items) else ""
    found = [write(item, depth - 1) for item in islice(items, _ITEMS)]
    if isinstance(items, (set, frozenset)):
        found.sort()
    return ", ".join([*found, "..."] if len(items) > _ITEMS else found)


def _integer(value: int) -> str:
    if value.bit_length() <= _BITS:
        return str(value)
    return f"<an integer of about {int(value.bit_length() * 0.30103) + 1} digits>"


def _text(value: str | bytes | bytearray) -> str:
    if len(value) <= _CHARACTERS:
        return repr(value)
    return f"{value[: _CHARACTERS // 2]!r}...{value[-_CHARACTERS // 2 :]!r}"


def _fraction(value: Fraction) -> str:
    return f"Fraction({_integer(value.numerator)}, {_integer(value.denominator)})"


def _bounds(value: range | slice) -> str:
    return f"{type(value).__name__}({', '.join(_written(item, 1) for item in (value.start, value.stop, value.step))})"


_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}
_SCALARS: dict[type, Callable[[Any], str]] = {
    type(None): repr,
    bool: repr,
    int: _integer,
    float: repr,
    complex: repr,
    str: _text,
    bytes: _text,
    bytearray: _text,
    Decimal: repr,
    Fraction: _fraction,
    range: _bounds,
    slice: _bounds,
    **dict.fromkeys((date, time, datetime, timedelta, timezone), repr),
}
