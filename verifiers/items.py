r"""The items that a text lists: a JSON array, lines with or without bullets, or parts between semicolons or commas.

Linear in the text's length; never raises. Not covered: items that contain their separator, except in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from pydantic import JsonValue

from verifiers.legible import legible

AROUND = " \t\r\n.,;:*_`\"'“”‘’"
"""What may stand around an item and is none of it."""

_BULLET = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,4}[.)])\s+")
_BRACES = re.compile(r"\A(?:\\?\{(.*?)\\?\}|\[(.*)\]|\((.*)\))\Z", re.DOTALL)
_TYPESETTING = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf|mbox)\{([^{}]*)\}|\\(?:left|right)(?![A-Za-z])|\$")
_AND = re.compile(r"(?:^|\s)(?:and|&)\s")
_SEMICOLON = re.compile(r"[;；]")
_COMMA = re.compile(r"[,，、،]")
_EMPTY = frozenset(("", "none", "\\emptyset", "\\varnothing", "∅"))
_DIGITS = 3_900


def items(text: str, is_one: Callable[[str], bool]) -> list[str]:
    """The items in order, untrimmed; none for the words and signs of the empty set.

    A last ``Rome and Bern`` is two items, unless ``is_one`` says of it that it is one.
    """
    array = _array(text)
    if array is not None:
        return array
    text = _TYPESETTING.sub(lambda found: found[1] or "", text).strip()
    held = _BRACES.match(text)
    if held is not None:
        text = next(group for group in held.groups() if group is not None)
    if text.strip(AROUND).casefold() in _EMPTY:
        return []
    lines = [line for line in text.splitlines() if line.strip()]
    listed = [line for line in lines if _BULLET.match(line)]
    if listed or len(lines) > 1:
        return [_BULLET.sub("", line) for line in listed or lines]
    *found, last = _SEMICOLON.split(text) if _SEMICOLON.search(text) else _COMMA.split(text)
    return [*found, last] if is_one(last) else [*found, *_AND.split(last)]


def find_list(text: str, start: int) -> str | None:
    """The list that begins at ``start``, up to a blank line: several lines with bullets, or semicolons; else None.

    A bullet before ``start`` belongs to it.
    """
    end = text.find("\n\n", start)
    line = text.rfind("\n", 0, start) + 1
    start = line if _BULLET.fullmatch(text[line:start]) else start
    passage = text[start : end if end >= 0 else len(text)]
    first, *rest = passage.splitlines() or [""]
    return passage if ";" in first or (rest and _BULLET.match(rest[0])) else None


def format_item(value: JsonValue) -> str:
    """An item given as JSON, as text. Raises ValueError for what is no item."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 3 * _DIGITS:
        raise ValueError(f"an item has more than {_DIGITS} digits")
    if not isinstance(value, (str, int, float)):
        raise ValueError(f"an item is a text or a number, not {type(value).__name__}")
    return legible(str(value))


def _array(text: str) -> list[str] | None:
    """The items of a flat JSON array, else None."""
    text = text.strip()
    if not text.startswith("[") or "[" in text[1:] or "{" in text:
        return None
    try:
        return [format_item(value) for value in json.loads(text)]
    except ValueError:
        return None
