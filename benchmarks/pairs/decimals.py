r"""Decimals, exact and rounded. A decimal reference stands for what rounds to it; an exact reference for itself.

``decimals``: both sides exact. ``rounded``: the reference is rounded, the answer is exact or has more digits; a wrong
answer is at least one unit of the last place away. That 0.33 is not 1/3
where 1/3 is the reference is a change of ``ratios``.
"""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import decimal, fixed, latex, number, plain


def draw(dice: random.Random) -> Fraction:
    places = dice.choice((1, 1, 2, 2, 3, 4))
    return Fraction(dice.choice((-1, 1, 1)) * dice.randint(1, 10 ** (places + dice.randint(0, 3))), 10**places)


def digits(value: Fraction, dice: random.Random) -> str | None:
    return decimal(value)


def zeros(value: Fraction, dice: random.Random) -> str | None:
    text = decimal(value)
    return f"{text}{'0' * dice.randint(1, 3)}" if text and "." in text else None


def bare_point(value: Fraction, dice: random.Random) -> str | None:
    return (decimal(value) or "")[1:] if 0 < value < 1 else None


def reduced(value: Fraction, dice: random.Random) -> str:
    return dice.choice((number(value, dice), plain(value)))


def font(value: Fraction, dice: random.Random) -> str:
    return f"\\{dice.choice(('text', 'mathbf', 'mathrm'))}{{{decimal(value)}}}"


def last_place(value: Fraction, dice: random.Random) -> Fraction:
    text = decimal(value) or ""
    places = len(text.partition(".")[2])
    return value + Fraction(dice.choice((-3, -1, 1, 2)), 10**places)


def shifted(value: Fraction, dice: random.Random) -> Fraction:
    return value * dice.choice((10, Fraction(1, 10), 100))


def sign(value: Fraction, dice: random.Random) -> Fraction:
    return -value


def lost_places(value: Fraction, dice: random.Random) -> Fraction:
    """Rounded by one place more than the reference."""
    places = len((decimal(value) or "").partition(".")[2])
    return Fraction(fixed(value, places - 1)) if places else value


def same_decimal(reference: Fraction, answer: Fraction) -> bool:
    """Also where the answer rounds to the reference's digits: such a pair would not be wrong beyond doubt."""
    places = len((decimal(reference) or "").partition(".")[2])
    return abs(reference - answer) < Fraction(1, 10**places)


DECIMALS = Family(
    "decimals",
    draw,
    references=(digits,),
    answers=(digits, digits, zeros, bare_point, reduced, font),
    changes=(last_place, shifted, sign, lost_places),
    same=same_decimal,
)

Rounded = tuple[Fraction, int]
"""An exact value, and the places that the reference has."""


def draw_rounded(dice: random.Random) -> Rounded:
    while True:
        value = Fraction(dice.randint(1, 400), dice.choice((3, 6, 7, 9, 11, 12, 13, 14, 15, 17, 19, 23, 27, 30)))
        places = dice.randint(2, 4)
        if decimal(value) is None and abs(_distance(value, places)) < Fraction(9, 20):
            return value, places


def _distance(value: Fraction, places: int) -> Fraction:
    """From what it rounds to, in units of the last place."""
    scaled = value * Fraction(10) ** places
    return scaled - round(scaled)


def to_places(value: Rounded, dice: random.Random) -> str:
    return fixed(*value)


def exact(value: Rounded, dice: random.Random) -> str:
    return dice.choice((latex(value[0]), number(value[0], dice), plain(value[0])))


def more_places(value: Rounded, dice: random.Random) -> str:
    return fixed(value[0], value[1] + dice.randint(2, 5))


def neighbour(value: Rounded, dice: random.Random) -> Rounded:
    return value[0] + dice.choice((-1, 1)) * Fraction(1, value[0].denominator), value[1]


def one_place_off(value: Rounded, dice: random.Random) -> Rounded:
    return value[0] + Fraction(dice.choice((-2, -1, 1, 2)), 10 ** value[1]), value[1]


def same_rounding(reference: Rounded, answer: Rounded) -> bool:
    """Also where only cutting off the further digits would give the reference."""
    return abs(round(reference[0], reference[1]) - answer[0]) < Fraction(1, 10 ** reference[1])


ROUNDED = Family(
    "rounded decimals",
    draw_rounded,
    references=(to_places,),
    answers=(to_places, exact, more_places),
    changes=(neighbour, one_place_off),
    same=same_rounding,
)
