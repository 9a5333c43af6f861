r"""Repeating decimals as exact fractions: ``0.1\overline{6}``, ``0.\dot{3}``, ``0.(3)``, ``0.333\ldots``."""

from __future__ import annotations

import re

_MARKED = re.compile(
    r"(?<![\w.])(?P<whole>\d{0,30})\.(?P<fixed>\d{0,30})(?:\\(?:overline|bar)\s?\{?(?P<over>\d{1,30})\}?"
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
