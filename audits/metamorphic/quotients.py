"""Rewrites and mutations of a fraction of integers."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import NamedTuple

from audits.metamorphic.amount import bare, format_decimal
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import NUMBERS, VALUES

_FRACTION = re.compile(
    r"(?P<sign>[+-]?)\s*(?:"
    r"\\[dt]?frac\s*\{\s*(?P<over>-?[0-9]{1,40})\s*\}\s*\{\s*(?P<under>[0-9]{1,40})\s*\}"
    r"|\\[dt]?frac\s*(?P<over1>[0-9])(?P<under1>[0-9])"
    r"|(?P<over2>[0-9]{1,40})\s*/\s*(?P<under2>[0-9]{1,40}))"
)


class Quotient(NamedTuple):
    """A fraction as it is written, not reduced; the sign is the numerator's."""

    over: int
    under: int

    @property
    def value(self) -> Fraction:
        return Fraction(self.over, self.under)

    @property
    def sign(self) -> str:
        return "-" if self.over < 0 else ""


def read_fraction(text: str) -> Quotient | None:
    """None where the text is no fraction of integers, or divides by zero."""
    found = _FRACTION.fullmatch(bare(text))
    if found is None:
        return None
    over = int(found["over"] or found["over1"] or found["over2"])
    under = int(found["under"] or found["under1"] or found["under2"])
    return Quotient(-over if found["sign"] == "-" else over, under) if under else None


def fraction_frac(task: Task, dice: Random) -> str | None:
    r"""In LaTeX: 5/6 as \frac{5}{6}."""
    found = read_fraction(task.text)
    return _latex(found) if found else None


def fraction_dfrac(task: Task, dice: Random) -> str | None:
    r"""In large: 5/6 as \dfrac{5}{6}."""
    found = read_fraction(task.text)
    return _latex(found, "dfrac") if found else None


def fraction_slash(task: Task, dice: Random) -> str | None:
    r"""In one line: \frac{5}{6} as 5/6."""
    found = read_fraction(task.text)
    return f"{found.over}/{found.under}" if found else None


def fraction_braceless(task: Task, dice: Random) -> str | None:
    r"""As TeX allows: 5/6 as \frac56."""
    found = read_fraction(task.text)
    if found is None or abs(found.over) > 9 or found.under > 9:
        return None
    return rf"{found.sign}\frac{abs(found.over)}{found.under}"


def fraction_expanded(task: Task, dice: Random) -> str | None:
    r"""Not in lowest terms: 5/6 as \frac{10}{12}."""
    found = read_fraction(task.text)
    factor = dice.choice((2, 3, 5))
    return _latex(Quotient(found.over * factor, found.under * factor)) if found else None


def fraction_decimal(task: Task, dice: Random) -> str | None:
    """As a decimal where that ends: 5/8 as 0.625."""
    found = read_fraction(task.text)
    return format_decimal(found.value) if found else None


def fraction_mixed(task: Task, dice: Random) -> str | None:
    r"""An improper fraction as a mixed number: 7/2 as 3\frac{1}{2}."""
    found = read_fraction(task.text)
    if found is None:
        return None
    whole, rest = divmod(abs(found.over), found.under)
    return rf"{found.sign}{whole}\frac{{{rest}}}{{{found.under}}}" if whole and rest else None


def fraction_sign_inside(task: Task, dice: Random) -> str | None:
    r"""With the sign above: -5/6 as \frac{-5}{6}."""
    found = read_fraction(task.text)
    return rf"\frac{{{found.over}}}{{{found.under}}}" if found and found.over < 0 else None


def fraction_inverted(task: Task, dice: Random) -> str | None:
    """Numerator and denominator change places: 5/6 as 6/5."""
    found = read_fraction(task.text)
    if found is None or found.over == 0:
        return None
    return _wrong(task, found, Quotient(-found.under if found.over < 0 else found.under, abs(found.over)))


def fraction_negated(task: Task, dice: Random) -> str | None:
    """The other sign: 5/6 as -5/6."""
    found = read_fraction(task.text)
    return _wrong(task, found, Quotient(-found.over, found.under)) if found else None


def fraction_numerator_changed(task: Task, dice: Random) -> str | None:
    """One more or less above: 5/6 as 4/6."""
    found = read_fraction(task.text)
    return _wrong(task, found, Quotient(found.over + dice.choice((-1, 1)), found.under)) if found else None


def fraction_denominator_changed(task: Task, dice: Random) -> str | None:
    """One more below: 5/6 as 5/7."""
    found = read_fraction(task.text)
    return _wrong(task, found, Quotient(found.over, found.under + 1)) if found else None


def fraction_cut(task: Task, dice: Random) -> str | None:
    """Its numerator alone: 5/6 as 5."""
    found = read_fraction(task.text)
    wrong = _wrong(task, found, Quotient(found.over, 1)) if found else None
    return str(found.over) if found and wrong else None


def _latex(found: Quotient, command: str = "frac") -> str:
    return rf"{found.sign}\{command}{{{abs(found.over)}}}{{{found.under}}}"


def _wrong(task: Task, right: Quotient, mutant: Quotient) -> str | None:
    return _latex(mutant) if task.margin.is_exceeded(right.value, mutant.value) else None


FRACTIONS = (
    *keeping(NUMBERS, fraction_frac, fraction_slash),
    *keeping(VALUES, fraction_dfrac, fraction_braceless, fraction_expanded, fraction_decimal, fraction_mixed),
    *keeping(VALUES, fraction_sign_inside),
    *breaking(NUMBERS, fraction_inverted, fraction_negated, fraction_numerator_changed),
    *breaking(NUMBERS, fraction_denominator_changed, fraction_cut),
)
