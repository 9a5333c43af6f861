"""Numbers as people read them, in a terminal and on a page."""

from __future__ import annotations


def number(value: float) -> str:
    """A count, or a number with four digits: ``1,204``, ``17.25``, ``1.2e+09``."""
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"


def share(value: float) -> str:
    """A number in [0, 1] as a percentage, with the digits that say something: ``0.034%``, ``1.71%``, ``12.4%``."""
    percent = 100 * value
    digits = 1 if abs(percent) >= 10 else 2 if abs(percent) >= 0.1 else 3
    text = f"{percent:.{digits}f}".rstrip("0").rstrip(".")
    return f"{'0' if text in ('', '-', '-0') else text}%"
