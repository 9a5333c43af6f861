"""Roman numerals of two letters and more, from II to MMMCMXCIX; a letter alone is an option, a variable or a unit."""

from __future__ import annotations

import re

_NUMERAL = re.compile(r"(?=[IVXLCDM]{2})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def parse_roman(text: str) -> int | None:
    """The number that a text is in Roman numerals, or None."""
    if _NUMERAL.fullmatch(text) is None:
        return None
    values = [_VALUES[letter] for letter in text]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )
