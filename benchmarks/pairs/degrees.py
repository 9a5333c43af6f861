r"""Angles in degrees: sign, word, bare number, radians. Angles that differ by a full turn count as the same."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family


def draw(dice: random.Random) -> int:
    return dice.choice((dice.randint(1, 360), 15 * dice.randint(1, 24)))


def circ(value: int, dice: random.Random) -> str:
    return str(value) + dice.choice(("^\\circ", "^{\\circ}"))


def sign(value: int, dice: random.Random) -> str:
    return f"{value}°"


def word(value: int, dice: random.Random) -> str:
    return str(value) + dice.choice((" degrees", "\\text{ degrees}", "\\,\\text{degrees}"))


def number(value: int, dice: random.Random) -> str:
    return str(value)


def radians(value: int, dice: random.Random) -> str:
    part = Fraction(value, 180)
    above = "\\pi" if part.numerator == 1 else f"{part.numerator}\\pi"
    return above if part.denominator == 1 else f"\\frac{{{above}}}{{{part.denominator}}}"


def off(value: int, dice: random.Random) -> int:
    return value + dice.choice((-10, -1, 1, 5))


def supplement(value: int, dice: random.Random) -> int:
    return dice.choice((90, 180, 360)) - value


def double(value: int, dice: random.Random) -> int:
    return 2 * value


def same_angle(reference: int, answer: int) -> bool:
    return (reference - answer) % 360 == 0


FAMILY = Family(
    "degrees",
    draw,
    references=(circ, circ, sign),
    answers=(circ, sign, word, number, radians),
    changes=(off, supplement, double),
    same=same_angle,
)
