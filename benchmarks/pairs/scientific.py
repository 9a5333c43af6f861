r"""Scientific notation: mantissa and power of ten in LaTeX, Unicode and programs' spelling, and written out."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import SUPERSCRIPTS, decimal

Scientific = tuple[Fraction, int]
"""Mantissa in [1, 10) and exponent."""


def draw(dice: random.Random) -> Scientific:
    places = dice.randint(0, 3)
    mantissa = Fraction(dice.choice((-1, 1, 1, 1)) * dice.randint(10**places, 10 ** (places + 1) - 1), 10**places)
    return mantissa, dice.choice((-1, 1)) * dice.randint(2, dice.choice((6, 12, 40)))


def _exact(value: Scientific) -> Fraction:
    return value[0] * Fraction(10) ** value[1]


def _mantissa(value: Scientific) -> str:
    return decimal(value[0]) or ""


def times(value: Scientific, dice: random.Random) -> str:
    return f"{_mantissa(value)} \\times 10^{{{value[1]}}}"


def cdot(value: Scientific, dice: random.Random) -> str:
    return f"{_mantissa(value)} \\cdot 10^{{{value[1]}}}"


def program(value: Scientific, dice: random.Random) -> str:
    sign = dice.choice(("", "+")) if value[1] > 0 else ""
    return f"{_mantissa(value)}{dice.choice('eE')}{sign}{value[1]}"


def unicode_power(value: Scientific, dice: random.Random) -> str:
    return f"{_mantissa(value)} × 10{str(value[1]).translate(SUPERSCRIPTS)}"


def caret(value: Scientific, dice: random.Random) -> str:
    power = value[1] if value[1] > 0 else f"({value[1]})"
    return f"{_mantissa(value)}{dice.choice(('*', ' * ', ' x '))}10^{power}"


def moved_point(value: Scientific, dice: random.Random) -> str:
    return f"{decimal(value[0] * 10)} \\times 10^{{{value[1] - 1}}}"


def written_out(value: Scientific, dice: random.Random) -> str | None:
    return decimal(_exact(value)) if abs(value[1]) <= 9 else None


def mantissa(value: Scientific, dice: random.Random) -> Scientific:
    places = len(_mantissa(value).partition(".")[2])
    changed = value[0] + Fraction(dice.choice((-1, 1, 2)), 10**places)
    return changed, value[1]


def exponent(value: Scientific, dice: random.Random) -> Scientific:
    return value[0], value[1] + dice.choice((-3, -2, -1, 1, 2))


def exponent_sign(value: Scientific, dice: random.Random) -> Scientific:
    return value[0], -value[1]


def sign(value: Scientific, dice: random.Random) -> Scientific:
    return -value[0], value[1]


def same_number(reference: Scientific, answer: Scientific) -> bool:
    return _exact(reference) == _exact(answer)


FAMILY = Family(
    "scientific",
    draw,
    references=(times, times, program),
    answers=(times, cdot, program, unicode_power, caret, moved_point, written_out),
    changes=(mantissa, exponent, exponent_sign, sign),
    same=same_number,
)
