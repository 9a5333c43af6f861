"""The items that a text lists: a JSON array, a table's rows, lines with or without bullets, or parts of a line.

Parts stand between semicolons, else commas, else slashes. Dots at the end say that there is more, which is an item
:data:`MORE`. Linear in the text's length; never raises. Not covered: items that contain their separator, except in
JSON.
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
_SLASH = re.compile(r"\s/\s")
# Rome/Bern/Oslo, but no m/s/s and no date
_WORDS = re.compile(r"[^\W\d_]{2}[^\d/]{0,100}")
_DIVIDER = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+(?:\|\s*+)?")
_DOTS = re.compile(r"(?:…|\\[lc]?dots)\Z")
_LONGEST_DOTS = 6
"""Characters of a sign for dots."""
_DIGITS = 3_900

MORE = "(and more)"
"""The item that dots stand for: what they leave open is no item of a reference."""


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
    return _with_more(_listed(text, is_one))


def _listed(text: str, is_one: Callable[[str], bool]) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    rows = _rows(lines)
    if rows is not None:
        return rows
    listed = [line for line in lines if _BULLET.match(line)]
    if listed or len(lines) > 1:
        return [_BULLET.sub("", line) for line in listed or lines]
    *found, last = _SEMICOLON.split(text) if _SEMICOLON.search(text) else _COMMA.split(text)
    if not found and not is_one(text):
        *found, last = _slashed(text)
    return [*found, last] if is_one(last) else [*found, *_AND.split(last)]


def _rows(lines: list[str]) -> list[str] | None:
    """The rows of the text's table, where it has one column, or a second beside their numbers; else None."""
    divider = next((place for place, line in enumerate(lines) if "|" in line and _DIVIDER.fullmatch(line)), 0)
    if not divider or "|" not in lines[divider - 1]:
        return None
    rows: list[list[str]] = []
    for line in lines[divider + 1 :]:
        if "|" not in line:
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    if rows and all(len(row) == 2 and row[0].strip(" .#").isdigit() for row in rows):
        return [row[1] for row in rows]
    return [row[0] for row in rows] if rows and all(len(row) == 1 for row in rows) else None


def _slashed(text: str) -> list[str]:
    if _SLASH.search(text):
        return _SLASH.split(text)
    parts = text.strip(AROUND).split("/")
    return parts if len(parts) > 2 and all(map(_WORDS.fullmatch, parts)) else [text]


def _with_more(found: list[str]) -> list[str]:
    """With :data:`MORE` for dots that stand as an item or, where there are several, behind the last one."""
    if len(found) < 2:
        return found
    *before, last = found
    said = [*before, _without_dots(last)]
    left = [item for item in said if not item.strip() or _without_dots(item.strip())]
    return found if left == found else [*left, MORE]


def _without_dots(item: str) -> str:
    """An item without the dots at its end, and the blanks and points behind them."""
    end = len(item)
    while end and (item[end - 1] == "." or item[end - 1].isspace()):
        end -= 1
    sign = _DOTS.search(item[max(0, end - _LONGEST_DOTS) : end])
    if sign is not None:
        return item[: end - len(sign[0])]
    dots = item.find("...", end)
    return item if dots < 0 else item[:dots]


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
