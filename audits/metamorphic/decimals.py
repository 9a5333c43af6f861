"""Spellings of a decimal number that a model would write."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from audits.metamorphic.amount import DecimalNumber, format_decimal, read_number
from audits.metamorphic.transformation import Task, keeping
from audits.metamorphic.verifiers import NUMBERS, VALUES

_MOST_PLACES = 6


def decimal_trailing_zero(task: Task, dice: Random) -> str | None:
    """With a zero more: 0.5 as 0.50."""
    number = _decimal(task.text)
    return f"{number}0" if number else None


def decimal_leading_zero(task: Task, dice: Random) -> str | None:
    """Without the zero before the point: 0.5 as .5."""
    number = _decimal(task.text)
    if number is None or number.whole != "0":
        return None
    return f"{'-' if number.negative else ''}.{number.part}"


def decimal_fraction(task: Task, dice: Random) -> str | None:
    r"""As a fraction in lowest terms: 0.5 as \frac{1}{2}."""
    number = _decimal(task.text)
    if number is None or len(number.part) > _MOST_PLACES or number.value.denominator == 1:
        return None
    sign, size = "-" if number.negative else "", abs(number.value)
    return rf"{sign}\frac{{{size.numerator}}}{{{size.denominator}}}"


def decimal_scientific(task: Task, dice: Random) -> str | None:
    r"""In scientific notation: 0.0012 as 1.2 \times 10^{-3}."""
    found = _mantissa(task.text)
    return rf"{found[0]} \times 10^{{{found[1]}}}" if found else None


def decimal_exponent(task: Task, dice: Random) -> str | None:
    """In a programmer's notation: 0.0012 as 1.2e-3."""
    found = _mantissa(task.text)
    return f"{found[0]}e{found[1]}" if found else None


def decimal_percent(task: Task, dice: Random) -> str | None:
    r"""As percent: 0.25 as 25\%."""
    number = _decimal(task.text)
    if number is None or not 0 < abs(number.value) < 1:
        return None
    percent = format_decimal(number.value * 100)
    return rf"{percent}\%" if percent else None


def _decimal(text: str) -> DecimalNumber | None:
    number = read_number(text)
    return number if number and number.part else None


def _mantissa(text: str) -> tuple[str, int] | None:
    """Mantissa and exponent of a decimal whose point is far from its first digit."""
    number = _decimal(text)
    if number is None or number.value == 0:
        return None
    digits = (number.whole + number.part).lstrip("0")
    exponent = len(digits) - 1 - len(number.part)
    if -2 <= exponent <= 2:
        return None
    mantissa = DecimalNumber(number.negative, digits[0], digits[1:])
    assert mantissa.value * Fraction(10) ** exponent == number.value
    return str(mantissa), exponent


DECIMALS = (
    *keeping(NUMBERS, decimal_trailing_zero, decimal_leading_zero, decimal_scientific, decimal_exponent),
    *keeping(VALUES, decimal_fraction, decimal_percent),
)
