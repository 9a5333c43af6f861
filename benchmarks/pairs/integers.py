r"""Integers of 1 to 40 digits, as digits, with an empty fraction or a sign, as a quotient, in LaTeX's fonts."""

from __future__ import annotations

import random

from benchmarks.pairs.pair import Family


def draw(dice: random.Random) -> int:
    digits = dice.choice((1, 2, 2, 3, 3, 4, 6, 9, 15, 40))
    return dice.choice((-1, 1, 1)) * dice.randint(10 ** (digits - 1), 10**digits - 1)


def digits(value: int, dice: random.Random) -> str:
    return str(value)


def point_zero(value: int, dice: random.Random) -> str:
    return f"{value}.{dice.choice(('0', '00'))}"


def plus(value: int, dice: random.Random) -> str | None:
    return f"+{value}" if value > 0 else None


def minus_sign(value: int, dice: random.Random) -> str | None:
    return dice.choice("−–") + str(-value) if value < 0 else None


def font(value: int, dice: random.Random) -> str:
    return dice.choice(("\\text{{{}}}", "\\mathbf{{{}}}", "\\mathrm{{{}}}", "\\textbf{{{}}}", "{{{}}}")).format(value)


def full_stop(value: int, dice: random.Random) -> str:
    return f"{value}."


def quotient(value: int, dice: random.Random) -> str:
    below = dice.randint(2, 9)
    return dice.choice(("\\frac{{{}}}{{{}}}", "{}/{}")).format(value * below, below)


def off_by_one(value: int, dice: random.Random) -> int:
    return value + dice.choice((-1, 1))


def sign(value: int, dice: random.Random) -> int:
    return -value


def one_digit(value: int, dice: random.Random) -> int:
    text = list(str(abs(value)))
    text[dice.randrange(len(text))] = str(dice.randint(0, 9))
    return int("".join(text)) * (1 if value > 0 else -1)


def swapped_digits(value: int, dice: random.Random) -> int:
    text = list(str(abs(value)))
    at = dice.randrange(len(text))
    text[at - 1], text[at] = text[at], text[at - 1]
    return int("".join(text)) * (1 if value > 0 else -1)


def lost_digit(value: int, dice: random.Random) -> int:
    return int(value / 10) if abs(value) < 10**15 else value // 10


def zero_more(value: int, dice: random.Random) -> int:
    return value * 10


FAMILY = Family(
    "integers",
    draw,
    references=(digits,),
    answers=(digits, digits, point_zero, plus, minus_sign, font, full_stop, quotient),
    changes=(off_by_one, sign, one_digit, swapped_digits, lost_digit, zero_more),
)
