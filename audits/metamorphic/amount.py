"""Numbers in references, read exactly: ``-1,234.50``, bare or dressed as an amount, ``x = 5``, ``$5``, ``90°``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

_PLACES = 8
_NUMBER = r"[+\-−]?(?:[0-9]{1,3}(?:,[0-9]{3}){1,19}|[0-9]{1,60})(?:\.[0-9]{1,40})?"
_PLAIN = re.compile(_NUMBER)
_BEFORE = r"(?:\\?\$|€|£|[A-Za-z] ?= ?)?"
_UNIT = r"(?:\s|\\,|\\ |~)*\\(?:text|mathrm)\{[A-Za-z /]{1,30}\}(?:\^[23])?| [A-Za-z]{2,20}"
_AFTER = rf"(?: ?\\?%|\^\\circ|\^\{{\\circ\}}|°|{_UNIT})?"
_DRESSED = re.compile(rf"(?P<before>{_BEFORE})(?P<number>{_NUMBER})(?P<after>{_AFTER})")


@dataclass(frozen=True, slots=True)
class DecimalNumber:
    """A decimal number by its digits, without leading zeros in ``whole``; ``part`` is what follows the point."""

    negative: bool
    whole: str
    part: str = ""

    @property
    def value(self) -> Fraction:
        size = Fraction(int(self.whole + self.part), 10 ** len(self.part))
        return -size if self.negative else size

    @property
    def bare(self) -> str:
        """Without its sign."""
        return f"{self.whole}.{self.part}" if self.part else self.whole

    def __str__(self) -> str:
        return ("-" if self.negative else "") + self.bare


@dataclass(frozen=True, slots=True)
class SurroundedNumber:
    """A number with what stands around it: a unit, a currency, the variable that it is the value of."""

    before: str
    number: DecimalNumber
    after: str

    def __str__(self) -> str:
        return f"{self.before}{self.number}{self.after}"

    def holding(self, number: DecimalNumber) -> SurroundedNumber:
        return replace(self, number=number)


def bare(text: str) -> str:
    """Without the dollar signs that set all of it as mathematics; one alone is a currency."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 2 and text[0] == text[-1] == "$" else text


def read_number(text: str) -> DecimalNumber | None:
    """None where the text is no plain number, or has leading zeros."""
    text = bare(text)
    if _PLAIN.fullmatch(text) is None:
        return None
    digits = text.lstrip("+-−").replace(",", "")
    whole, _, part = digits.partition(".")
    if len(whole) > 1 and whole.startswith("0"):
        return None
    return DecimalNumber(text[0] in "-−", whole, part)


def read_amount(text: str) -> SurroundedNumber | None:
    """A number, alone or dressed; None for anything else."""
    bare = read_number(text)
    if bare is not None:
        return SurroundedNumber("", bare, "")
    found = _DRESSED.fullmatch(text.strip())
    number = read_number(found["number"]) if found else None
    return SurroundedNumber(found["before"], number, found["after"]) if found and number else None


def format_decimal(value: Fraction) -> str | None:
    """An exact decimal of at most eight places; None where there is none."""
    scaled = value * 10**_PLACES
    if scaled.denominator != 1:
        return None
    digits = str(abs(scaled.numerator)).rjust(_PLACES + 1, "0")
    text = f"{digits[:-_PLACES]}.{digits[-_PLACES:]}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 else text
