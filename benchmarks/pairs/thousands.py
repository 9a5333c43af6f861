r"""Large numbers with and without separators: comma, LaTeX comma, thin and plain spaces."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.integers import off_by_one, one_digit, sign, swapped_digits, zero_more
from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import fixed


def draw(dice: random.Random) -> int:
    return dice.choice((-1, 1, 1, 1)) * dice.randint(1000, 10 ** dice.randint(4, 13))


def digits(value: int, dice: random.Random) -> str:
    return str(value)


def comma(value: int, dice: random.Random) -> str:
    return f"{value:,}"


def latex_comma(value: int, dice: random.Random) -> str:
    return f"{value:,}".replace(",", dice.choice(("{,}", ",\\!", "\\,", "{,}")))


def space(value: int, dice: random.Random) -> str:
    return f"{value:,}".replace(",", dice.choice((" ", "\u202f", "\u00a0", "~")))


def with_cents(value: int, dice: random.Random) -> str:
    return f"{value:,}.{dice.choice(('0', '00'))}"


def lost_group(value: int, dice: random.Random) -> int:
    groups = f"{abs(value):,}".split(",")
    del groups[dice.randrange(1, len(groups))]
    return int("".join(groups)) * (1 if value > 0 else -1)


def last_group(value: int, dice: random.Random) -> int:
    """A comma taken for a decimal point."""
    return int(value / 1000)


INTEGERS = Family(
    "thousands",
    draw,
    references=(digits, comma, comma, latex_comma),
    answers=(digits, comma, latex_comma, space, with_cents),
    changes=(off_by_one, one_digit, sign, swapped_digits, zero_more, lost_group, last_group),
)


def draw_decimal(dice: random.Random) -> Fraction:
    return Fraction(dice.randint(100_000, 10**9), 100)


def decimal_digits(value: Fraction, dice: random.Random) -> str:
    return fixed(value, 2)


def decimal_comma(value: Fraction, dice: random.Random) -> str:
    whole, _, places = fixed(value, 2).partition(".")
    return f"{int(whole):,}".replace(",", dice.choice((",", ",", "{,}"))) + f".{places}"


def cent(value: Fraction, dice: random.Random) -> Fraction:
    return value + Fraction(dice.choice((-1, 1, 10, 100)), 100)


def shifted(value: Fraction, dice: random.Random) -> Fraction:
    return value * 100


DECIMALS = Family(
    "thousands",
    draw_decimal,
    references=(decimal_digits, decimal_comma),
    answers=(decimal_digits, decimal_comma),
    changes=(cent, shifted),
)
