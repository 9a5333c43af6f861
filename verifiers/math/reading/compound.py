r"""Quantities of several units: ``3 hours 30 minutes``, ``1 \text{ h } 15 \text{ min}``, ``30° 15'``, ``5' 6"``."""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.math.reading.quantity import symbol
from verifiers.math.reading.unit import factor

_PART = re.compile(
    r"\s?(\d{1,12}(?:\.\d{1,12})?)\s?(?:\\text\s?\{\s?)?([A-Za-z]{1,12})\.?\s?(?:and\s?\})?\}?\s?(?:,|and(?![a-z]))?",
    re.ASCII,
)
_ANGLE = re.compile(r"(\d{1,6})\s?°\s?(\d{1,2})\s?['′](?:\s?(\d{1,2}(?:\.\d{1,6})?)\s?(?:''|\"|″|′′))?", re.ASCII)
_FEET = re.compile(r"(\d{1,6})\s?['′]\s?(\d{1,2}(?:\.\d{1,6})?)\s?(?:''|\"|″|′′)", re.ASCII)
_SPOKEN = re.compile(r"\s?(?:\\text\s?\{\s?)?(degree|minute|second)s?(?:,?\sand)?\s?\}?")
_MARKS = {"degree": "°", "minute": "'", "second": "''"}
_HOURS = frozenset(("h", "hr", "hrs", "hour", "hours"))
MOST_PARTS = 4


def compound(text: str) -> tuple[Fraction, str] | None:
    """The value and its unit, that of the first part; None where the parts do not go from large units to small ones."""
    if not text[:1].isdigit() or len(text) > 120:
        return None
    if "degrees" in text:
        text = _SPOKEN.sub(lambda word: _MARKS[word[1]], text)
    angle = _ANGLE.fullmatch(text) if "°" in text else None
    if angle is not None:
        degrees, minutes, seconds = (Fraction(angle[place] or 0) for place in (1, 2, 3))
        return (degrees + minutes / 60 + seconds / 3600, "degree") if minutes < 60 and seconds < 60 else None
    height = _FEET.fullmatch(text)
    if height is not None:
        return (Fraction(height[1]) + Fraction(height[2]) / 12, symbol("ft")) if Fraction(height[2]) < 12 else None
    found: list[tuple[Fraction, str]] = []
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None or len(found) == MOST_PARTS:
            return None
        # after hours the m of 2h15m are minutes
        name = "min" if part[2] == "m" and found and found[0][1] in _HOURS else part[2]
        found.append((Fraction(part[1]), symbol(name)))
        at = part.end()
    if len(found) < 2:
        return None
    total, unit = Fraction(0), found[0][1]
    last: Fraction | None = None
    for value, name in found:
        size = factor(name, unit)
        if size is None or (last is not None and (size >= last or value * size >= last)):
            return None
        total, last = total + value * size, size
    return total, unit
