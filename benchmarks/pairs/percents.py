r"""Percentages, against percentages and against the number that they are.

The bare number of percent (``25`` for ``25\%``) is left out on both sides: whether it is right depends on the question.
"""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import decimal, number, plain


def draw(dice: random.Random) -> Fraction:
    return Fraction(dice.randint(1, 1500), dice.choice((1000, 1000, 100, 10_000)))


def percent(value: Fraction, dice: random.Random) -> str:
    return (decimal(value * 100) or "") + "\\%"


def percent_sign(value: Fraction, dice: random.Random) -> str:
    return (decimal(value * 100) or "") + dice.choice(("%", " %", "\\,\\%"))


def percent_word(value: Fraction, dice: random.Random) -> str:
    return (decimal(value * 100) or "") + dice.choice((" percent", "\\text{ percent}", "\\text{%}"))


def tied(value: Fraction, dice: random.Random) -> str:
    return (decimal(value * 100) or "") + dice.choice(("\\ \\%", "~\\%", "\\text{ per cent}", " per cent", "\\%."))


def digits(value: Fraction, dice: random.Random) -> str:
    return decimal(value) or plain(value)


def reduced(value: Fraction, dice: random.Random) -> str:
    return number(value, dice)


def point(value: Fraction, dice: random.Random) -> Fraction:
    return value + Fraction(dice.choice((-1, 1, 2, 5)), 100)


def tenfold(value: Fraction, dice: random.Random) -> Fraction:
    return value * dice.choice((10, Fraction(1, 10)))


def complement(value: Fraction, dice: random.Random) -> Fraction:
    return 1 - value


def same_percent(reference: Fraction, answer: Fraction) -> bool:
    """Also where the answer may count as a rounding, or as the bare number of percent."""
    places = max(len((decimal(reference * k) or "").partition(".")[2]) for k in (1, 100))
    return abs(reference - answer) < Fraction(1, 10**places) or reference in (answer * 100, answer / 100) or answer <= 0


FAMILY = Family(
    "percent",
    draw,
    references=(percent, percent, digits, reduced),
    answers=(percent, percent_sign, percent_word, tied, digits, reduced),
    changes=(point, tenfold, complement),
    same=same_percent,
)
