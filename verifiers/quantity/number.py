"""The number at the start of a quantity's text, exactly: ``1,200.5``, ``6.02e23``, ``3 × 10^(8)``, ``2 1/2``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

MOST_DIGITS = 400
LARGEST_EXPONENT = 400

_POWER = r"10\s?\^\s?\(?\s?(?P<{0}>[-+]?\d{{1,9}})\s?\)?"
_NUMBER = re.compile(
    r"\(?(?P<sign>[-+]?)\s?(?:" + _POWER.format("lone") + r"(?!\d)"
    r"|(?:(?P<whole>\d+)\s)?\(?(?P<above>\d+)\)?\s?/\s?\(?(?P<below>\d+)\)?(?![\d.])"
    r"|(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.(?P<decimals>\d+))?"
    r"(?:[eE](?P<exponent>[-+]?\d{1,9})(?!\d))?(?:\s?[×x*·]\s?" + _POWER.format("power") + r"(?!\d))?)\)?"
)


class TooLarge(ValueError):
    """A number beyond the bounds."""


class Leading(NamedTuple):
    """A number, and where it ends in the text."""

    value: Fraction
    end: int


def leading(text: str, at: int = 0) -> Leading | None:
    """The number that starts at ``at``, or None. Raises :class:`TooLarge`."""
    found = _NUMBER.match(text, at)
    if found is None:
        return None
    if sum(len(found[part] or "") for part in ("digits", "decimals", "whole", "above", "below")) > MOST_DIGITS:
        raise TooLarge(f"a number has more than {MOST_DIGITS} digits")
    value = _value(found)
    return None if value is None else Leading(-value if found["sign"] == "-" else value, found.end())


def _value(found: re.Match[str]) -> Fraction | None:
    if found["lone"]:
        return _ten_to(found["lone"])
    if found["below"]:
        if not int(found["below"]):
            return None
        return int(found["whole"] or 0) + Fraction(int(found["above"]), int(found["below"]))
    digits, decimals = (found["digits"] or "").replace(",", ""), found["decimals"] or ""
    if not digits and not decimals:
        return None
    mantissa = Fraction(int(digits + decimals), 10 ** len(decimals))
    return mantissa * _ten_to(found["exponent"] or "0") * _ten_to(found["power"] or "0")


def _ten_to(exponent: str) -> Fraction:
    if abs(int(exponent)) > LARGEST_EXPONENT:
        raise TooLarge(f"an exponent is beyond {LARGEST_EXPONENT}")
    return Fraction(10) ** int(exponent)
