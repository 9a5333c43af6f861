r"""Ordered tuples and points: the order counts, brackets may grow, components may be spelt in any way."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import any_spelling, fraction, latex, nudged, number

Tuple = tuple[Fraction, ...]


def draw(dice: random.Random) -> Tuple:
    return tuple(fraction(dice) for _ in range(dice.choice((2, 2, 2, 3, 3, 4))))


def round_brackets(value: Tuple, dice: random.Random) -> str:
    return "(" + ", ".join(latex(x) for x in value) + ")"


def left_right(value: Tuple, dice: random.Random) -> str:
    inner = ", ".join(number(x, dice) for x in value)
    return dice.choice(("\\left({}\\right)", "\\left( {} \\right)")).format(inner)


def big(value: Tuple, dice: random.Random) -> str:
    return f"\\big({', '.join(latex(x) for x in value)}\\big)"


def spelt(value: Tuple, dice: random.Random) -> str:
    return "(" + dice.choice((",", ", ", ",\\,")).join(any_spelling(x, dice) for x in value) + ")"


def named(value: Tuple, dice: random.Random) -> str | None:
    names = {2: "(x, y)", 3: "(x, y, z)"}.get(len(value))
    return names and f"{names} = {left_right(value, dice)}"


def point(value: Tuple, dice: random.Random) -> str | None:
    return dice.choice("AP") + left_right(value, dice) if len(value) == 2 else None


def swapped(value: Tuple, dice: random.Random) -> Tuple:
    return value[1:] + value[:1]


def dropped(value: Tuple, dice: random.Random) -> Tuple:
    return value[:-1] if len(value) > 2 else (*value, Fraction(0))


def added(value: Tuple, dice: random.Random) -> Tuple:
    return (*value, fraction(dice))


def altered(value: Tuple, dice: random.Random) -> Tuple:
    at = dice.randrange(len(value))
    return (*value[:at], nudged(value[at], dice), *value[at + 1 :])


def sign(value: Tuple, dice: random.Random) -> Tuple:
    at = dice.randrange(len(value))
    return (*value[:at], -value[at], *value[at + 1 :])


FAMILY = Family(
    "tuples",
    draw,
    references=(round_brackets, round_brackets, left_right),
    answers=(round_brackets, left_right, left_right, big, spelt, point, named),
    changes=(swapped, dropped, added, altered, sign),
)
