r"""Numbers with the separators of other countries: ``1.234.567``, ``1.234,5``, ``12,34,567``, ``1_000_000``, ``3,5``.

Only what can mean nothing else is rewritten: ``1.234`` stays a decimal, ``1,234`` a thousand. Whether ``3,5`` is a
number tells the other side alone (:func:`decimal_comma`).
"""

from __future__ import annotations

import re

_DOTS = re.compile(r"([-+]?\d{1,3}(?:\.\d{3})+)(?:,(\d{1,40}))?", re.ASCII)
_LAKHS = re.compile(r"[-+]?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,40})?", re.ASCII)
_MARKS = re.compile(r"[-+]?\d{1,3}(?:_\d{3})+(?:\.\d{1,40})?", re.ASCII)
_COMMA = re.compile(r"[-+]?\d{1,20},\d{1,40}", re.ASCII)


def grouped(text: str) -> str:
    """A text that is one such number in the spelling with a decimal point alone, else as it was."""
    dots = _DOTS.fullmatch(text)
    if dots is not None and (dots[2] or dots[1].count(".") > 1):
        return dots[1].replace(".", "") + (f".{dots[2]}" if dots[2] else "")
    if _LAKHS.fullmatch(text):
        return text.replace(",", "")
    return text.replace("_", "") if _MARKS.fullmatch(text) else text


def decimal_comma(one: str, other: str) -> bool:
    """Whether one of two texts is the other with a comma for its decimal point."""
    if _COMMA.fullmatch(one):
        return one.replace(",", ".") == other
    return _COMMA.fullmatch(other) is not None and other.replace(",", ".") == one
