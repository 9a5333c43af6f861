r"""Numbers with the separators of other countries: ``1.234.567``, ``1.234,5``, ``12,34,567``, ``1_000_000``, ``3,5``.

Only what can mean nothing else is rewritten: ``1.234`` stays a decimal, ``1,234`` a thousand, ``3,5`` two numbers.
That it is one number says the caller (:func:`with_point`), or the text itself, as LaTeX does: ``3{,}5``.
"""

from __future__ import annotations

import re

_DOTS = re.compile(r"([-+]?\d{1,3}(?:\.\d{3})+)(?:,(\d{1,40}))?", re.ASCII)
_LAKHS = re.compile(r"[-+]?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,40})?", re.ASCII)
_MARKS = re.compile(r"[-+]?\d{1,3}(?:_\d{3})+(?:\.\d{1,40})?", re.ASCII)
_COMMAS = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+|\d{1,20}),(\d{1,40})(?![\d,])", re.ASCII)


def grouped(text: str) -> str:
    """A text that is one such number in the spelling with a decimal point alone, else as it was."""
    dots = _DOTS.fullmatch(text)
    if dots is not None and (dots[2] or dots[1].count(".") > 1):
        return dots[1].replace(".", "") + (f".{dots[2]}" if dots[2] else "")
    if _LAKHS.fullmatch(text):
        return text.replace(",", "")
    return text.replace("_", "") if _MARKS.fullmatch(text) else text


def with_point(text: str) -> str:
    """Every number in a text whose separators are those of a decimal comma, with a point: ``1.234,5`` is 1234.5."""
    return _COMMAS.sub(lambda found: f"{found[1].replace('.', '')}.{found[2]}", text)
