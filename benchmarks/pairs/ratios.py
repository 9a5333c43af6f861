r"""Fractions and mixed numbers: reduced or not, ``\frac`` in all sizes, slashes, finite decimals, whole and part."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import decimal, fixed, latex, number, plain


def draw(dice: random.Random) -> Fraction:
    while True:
        value = Fraction(dice.randint(-60, 200), dice.randint(2, dice.choice((9, 40, 300))))
        if value.denominator > 1:
            return value


def reduced(value: Fraction, dice: random.Random) -> str:
    return number(value, dice)


def slash(value: Fraction, dice: random.Random) -> str:
    return plain(value)


def unreduced(value: Fraction, dice: random.Random) -> str:
    k = dice.randint(2, 9)
    above, below, sign = abs(value.numerator) * k, value.denominator * k, "-" if value < 0 else ""
    return sign + dice.choice(("\\frac{{{}}}{{{}}}", "\\dfrac{{{}}}{{{}}}", "{}/{}")).format(above, below)


def digits(value: Fraction, dice: random.Random) -> str | None:
    return decimal(value, 6)


def braceless(value: Fraction, dice: random.Random) -> str | None:
    above, below = abs(value.numerator), value.denominator
    if above > 9 or below > 9:
        return None
    return ("-" if value < 0 else "") + "\\frac" + dice.choice(("", " ")) + f"{above}{below}"


def inner_sign(value: Fraction, dice: random.Random) -> str | None:
    if value > 0:
        return None
    above, below = value.numerator, value.denominator
    return dice.choice((f"\\frac{{{above}}}{{{below}}}", f"\\frac{{{-above}}}{{{-below}}}", f"{above}/{below}"))


def numerator(value: Fraction, dice: random.Random) -> Fraction:
    return value + Fraction(dice.choice((-2, -1, 1)), value.denominator)


def denominator(value: Fraction, dice: random.Random) -> Fraction:
    return Fraction(value.numerator, value.denominator + 1)


def inverted(value: Fraction, dice: random.Random) -> Fraction:
    return 1 / value if value else value


def sign(value: Fraction, dice: random.Random) -> Fraction:
    return -value


def rounded(value: Fraction, dice: random.Random) -> Fraction:
    """An exact reference is not its rounding to a few places."""
    return Fraction(fixed(value, dice.randint(1, 3)))


FRACTIONS = Family(
    "fractions",
    draw,
    references=(reduced, reduced, slash),
    answers=(reduced, reduced, slash, unreduced, digits, braceless, inner_sign),
    changes=(numerator, denominator, inverted, sign, rounded),
)


def draw_mixed(dice: random.Random) -> Fraction:
    below = dice.randint(2, 12)
    return dice.choice((-1, 1, 1, 1)) * (dice.randint(1, 30) + Fraction(dice.randint(1, below - 1), below))


def _split(value: Fraction) -> tuple[str, int, Fraction] | None:
    whole = int(abs(value))
    part = abs(value) - whole
    return ("-" if value < 0 else "", whole, part) if whole and part else None


def mixed(value: Fraction, dice: random.Random) -> str | None:
    if (split := _split(value)) is None:
        return None
    sign, whole, part = split
    return f"{sign}{whole}" + dice.choice(("", " ", "\\,", "\\ ")) + number(part, dice)


def mixed_plain(value: Fraction, dice: random.Random) -> str | None:
    if (split := _split(value)) is None:
        return None
    sign, whole, part = split
    return f"{sign}{whole} {plain(part)}"


def as_sum(value: Fraction, dice: random.Random) -> str | None:
    split = _split(value)
    return None if split is None or split[0] else f"{split[1]} + {latex(split[2])}"


def whole_part(value: Fraction, dice: random.Random) -> Fraction:
    return value + dice.choice((-1, 1))


def multiplied(value: Fraction, dice: random.Random) -> Fraction:
    """Whole times part, which a mixed number is not."""
    split = _split(value)
    return value if split is None else split[1] * split[2]


MIXED = Family(
    "mixed numbers",
    draw_mixed,
    references=(mixed, mixed, mixed_plain, reduced),
    answers=(mixed, mixed, mixed_plain, reduced, slash, digits, as_sum),
    changes=(numerator, whole_part, sign, multiplied),
)
