"""The elements of a set, a tuple, a list or an interval, as they are written, and their exact values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from audits.metamorphic.amount import read_number
from audits.metamorphic.quotients import read_fraction

_OPENING, _CLOSING = "([{", ")]}"


def split(text: str) -> list[str] | None:
    """Parts between commas that stand in no brackets; None where brackets do not match or a part is empty.

    A comma right between digits could be a thousands separator: there it is None too.
    """
    depth, parts, last = 0, [], 0
    for place, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth < 0:
            return None
        if sign == "," and depth == 0:
            if text[place - 1 : place].isdigit() and text[place + 1 : place + 4].isdigit():
                return None
            parts.append(text[last:place].strip())
            last = place + 1
    parts.append(text[last:].strip())
    return parts if depth == 0 and all(parts) else None


def value(text: str) -> Fraction | None:
    """A number's or a fraction's value; None for what is neither."""
    number = read_number(text)
    if number is not None:
        return number.value
    quotient = read_fraction(text)
    return quotient.value if quotient else None


def values(parts: Sequence[str]) -> list[Fraction] | None:
    """All values, or None where one of them is not known."""
    found = [value(part) for part in parts]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None
