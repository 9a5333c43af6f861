r"""Sums of money: sign, word, code, cents; a bare number counts in the reference's currency."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from benchmarks.pairs.pair import Family


@dataclass(frozen=True, slots=True)
class Money:
    cents: int
    currency: str
    bare: bool = True
    """False where the amount alone would hide that the currency is another."""


_SIGNS = {"dollars": "\\$", "euros": "€", "pounds": "£"}


def draw(dice: random.Random) -> Money:
    cents = dice.choice((dice.randint(101, 99_999), 100 * dice.randint(2, 999), 100 * dice.randint(1000, 90_000)))
    return Money(cents, dice.choice(("dollars", "dollars", "dollars", "euros", "pounds")))


def _amount(value: Money, separator: str = "") -> str:
    whole = f"{value.cents // 100:,}".replace(",", separator)
    return whole if value.cents % 100 == 0 else f"{whole}.{value.cents % 100:02d}"


def sign(value: Money, dice: random.Random) -> str:
    return _SIGNS[value.currency] + _amount(value, dice.choice(("", ",")))


def plain_sign(value: Money, dice: random.Random) -> str:
    return _SIGNS[value.currency].strip("\\") + _amount(value, ",")


def word(value: Money, dice: random.Random) -> str:
    return _amount(value) + dice.choice((" {}", "\\text{{ {}}}")).format(value.currency)


def two_places(value: Money, dice: random.Random) -> str:
    return f"{_SIGNS[value.currency]}{value.cents // 100}.{value.cents % 100:02d}"


def number(value: Money, dice: random.Random) -> str | None:
    return _amount(value) if value.bare else None


def in_cents(value: Money, dice: random.Random) -> str | None:
    return str(value.cents) + dice.choice((" cents", "\\text{ cents}")) if value.currency == "dollars" else None


def code(value: Money, dice: random.Random) -> str:
    name = {"dollars": "USD", "euros": "EUR", "pounds": "GBP"}[value.currency]
    return dice.choice(("{} {}", "\\text{{{}}} {}")).format(name, _amount(value, ","))


def in_words(value: Money, dice: random.Random) -> str | None:
    if value.currency != "dollars" or not value.cents % 100:
        return None
    return f"{value.cents // 100} dollars and {value.cents % 100} cents"


def amount(value: Money, dice: random.Random) -> Money:
    return replace(value, cents=value.cents + dice.choice((-100, 100, 1000, 500)))


def cents(value: Money, dice: random.Random) -> Money:
    return replace(value, cents=value.cents + dice.choice((-5, 1, 10, 25)))


def tenfold(value: Money, dice: random.Random) -> Money:
    return replace(value, cents=value.cents * 10)


def other_currency(value: Money, dice: random.Random) -> Money:
    return replace(value, currency=dice.choice(sorted(set(_SIGNS) - {value.currency})), bare=False)


def same_sum(reference: Money, answer: Money) -> bool:
    """Also where a reference in whole units could be taken for a rounding."""
    if reference.currency != answer.currency:
        return False
    unit = 1 if reference.cents % 100 else 100
    return abs(reference.cents - answer.cents) < unit


FAMILY = Family(
    "currency",
    draw,
    references=(sign, sign, word),
    answers=(sign, plain_sign, word, two_places, code, in_words, number, in_cents),
    changes=(amount, cents, tenfold, other_currency),
    same=same_sum,
)
