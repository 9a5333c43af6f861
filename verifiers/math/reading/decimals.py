r"""How decimals are written: repeating ones, and those with the separators of other countries.

``0.1\overline{6}``, ``0.\dot{3}``, ``0.(3)`` and ``0.333\ldots`` are exact fractions; ``1.234.567``, ``1.234,5``,
``12,34,567``, ``1_000_000`` and ``3,5`` are numbers where they can mean nothing else: ``1.234`` stays a decimal,
``1,234`` a thousand, ``3,5`` two numbers. That it is one number says the caller (:func:`with_point`), or the text
itself, as LaTeX does: ``3{,}5``.
"""

from __future__ import annotations

import re

_MARKED = re.compile(
    r"(?<![\w.])(?P<whole>\d{0,30})\.(?P<fixed>\d{0,30})(?:\\(?:overline|bar)\s?\{?(?P<over>\d{1,30}+)\}?+(?!\d)"
    r"|\\dot\s?\{?(?P<first>\d)\}?(?:(?P<middle>\d{0,28})\\dot\s?\{?(?P<last>\d)\}?)?)",
    re.ASCII,
)
_IN_PARENTHESES = re.compile(r"(?P<sign>[-+]?)(?P<whole>\d{0,30})\.(?P<fixed>\d{0,30})\((?P<over>\d{1,30})\)", re.ASCII)
_DOTTED = re.compile(r"(?<![\w.])(?P<whole>\d{0,30})\.(?P<decimals>\d{1,40})\s?\\ldots(?![A-Za-z])", re.ASCII)


def as_fractions(text: str) -> str:
    r"""The text with each repeating decimal as ``(p/q)``, all else as it was."""
    if "\\overline" in text or "\\bar" in text or "\\dot" in text:
        text = _MARKED.sub(_marked, text)
    if "\\ldots" in text:
        text = _DOTTED.sub(_dotted, text)
    whole = _IN_PARENTHESES.fullmatch(text) if text.endswith(")") else None
    return text if whole is None else whole["sign"] + _fraction(whole["whole"], whole["fixed"], whole["over"])


def _marked(match: re.Match[str]) -> str:
    period = match["over"] or match["first"] + (match["middle"] or "") + (match["last"] or "")
    return _fraction(match["whole"], match["fixed"], period)


def _dotted(match: re.Match[str]) -> str:
    """The period that is seen twice at the end, the shortest; without one the decimal as it is written."""
    decimals = match["decimals"]
    for length in range(1, len(decimals) // 2 + 1):
        period = decimals[-length:]
        if decimals.endswith(period * 2) and set(period) != {"0"}:
            return _fraction(match["whole"], decimals, period)
    return f"{match['whole']}.{decimals}"


def _fraction(whole: str, fixed: str, period: str) -> str:
    low, nines = 10 ** len(fixed), 10 ** len(period) - 1
    return f"({(int((whole + fixed) or '0') * nines + int(period))}/{low * nines})"


_DOTS = re.compile(r"([-+]?\d{1,3}(?:\.\d{3})+)(?:,(\d{1,40}))?", re.ASCII)
_LAKHS = re.compile(r"[-+]?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,40})?", re.ASCII)
_MARKS = re.compile(r"[-+]?\d{1,3}(?:_\d{3})+(?:\.\d{1,40})?", re.ASCII)
_COMMAS = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+|\d{1,20}),(\d{1,40})(?![\d,])", re.ASCII)


def remove_separators(text: str) -> str:
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
