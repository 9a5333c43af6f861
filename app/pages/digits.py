"""Measured numbers with three significant digits: what a page is read for is seldom in the fourth."""

from __future__ import annotations

from trueward.numerals import number


def digits(value: float) -> str:
    """A whole number as a count: ``1,204``, ``17.3``, ``0.0714``, ``1.2e+09``."""
    if value == int(value) or 1000 <= abs(value) < 1e9:
        return number(value)
    return f"{value:.3g}"
