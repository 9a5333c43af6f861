r"""Quantities with units: abbreviated, spelt out, converted; a bare number counts in the reference's unit.

Wrong: another amount, another unit, another dimension. An amount in an unlike unit never comes as a bare number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import decimal


@dataclass(frozen=True, slots=True)
class Unit:
    """``size`` in the dimension's base unit, exact; ``power`` is a superscript of the symbol."""

    symbol: str
    name: str
    dimension: str
    size: Fraction
    power: int = 1


_UNITS = (
    Unit("mm", "millimeters", "length", Fraction(1, 1000)),
    Unit("cm", "centimeters", "length", Fraction(1, 100)),
    Unit("m", "meters", "length", Fraction(1)),
    Unit("km", "kilometers", "length", Fraction(1000)),
    Unit("ft", "feet", "length", Fraction(3048, 10_000)),
    Unit("cm", "square centimeters", "area", Fraction(1, 10_000), 2),
    Unit("m", "square meters", "area", Fraction(1), 2),
    Unit("cm", "cubic centimeters", "volume", Fraction(1, 10**6), 3),
    Unit("m", "cubic meters", "volume", Fraction(1), 3),
    Unit("g", "grams", "mass", Fraction(1, 1000)),
    Unit("kg", "kilograms", "mass", Fraction(1)),
    Unit("s", "seconds", "time", Fraction(1)),
    Unit("min", "minutes", "time", Fraction(60)),
    Unit("h", "hours", "time", Fraction(3600)),
    Unit("m/s", "meters per second", "speed", Fraction(1)),
    Unit("km/h", "kilometers per hour", "speed", Fraction(1000, 3600)),
    Unit("N", "newtons", "force", Fraction(1)),
    Unit("J", "joules", "energy", Fraction(1)),
    Unit("V", "volts", "voltage", Fraction(1)),
)


@dataclass(frozen=True, slots=True)
class Quantity:
    amount: Fraction
    unit: Unit
    bare: bool = True
    """False where the amount alone would hide that the unit is another."""


def draw(dice: random.Random) -> Quantity:
    amount = Fraction(dice.randint(1, 999), dice.choice((1, 1, 1, 2, 10, 4)))
    return Quantity(amount, dice.choice(_UNITS))


def _digits(value: Quantity) -> str:
    return decimal(value.amount) or ""


def text(value: Quantity, dice: random.Random) -> str:
    power = f"^{value.unit.power}" if value.unit.power > 1 else ""
    space, font = dice.choice((("\\", "text"), (" \\", "text"), ("\\,\\", "mathrm"), ("\\, \\", "text")))
    inner = " " if space == "\\" else ""
    return f"{_digits(value)}{space}{font}{{{inner}{value.unit.symbol}}}{power}"


def symbol(value: Quantity, dice: random.Random) -> str:
    power = ("²" if value.unit.power == 2 else "³") if value.unit.power > 1 else ""
    return f"{_digits(value)}{dice.choice(('', ' ', ' '))}{value.unit.symbol}{power}"


def name(value: Quantity, dice: random.Random) -> str | None:
    if value.amount == 1:
        return None
    return _digits(value) + dice.choice((" {}", "\\text{{ {}}}", " \\text{{ {}}}")).format(value.unit.name)


def tied(value: Quantity, dice: random.Random) -> str:
    power = dice.choice(("^{{{}}}", "^{}")).format(value.unit.power) if value.unit.power > 1 else ""
    return _digits(value) + dice.choice(
        ("\\mathrm{{~{}}}{}", "~\\mathrm{{{}}}{}", "\\;\\text{{{}}}{}", "\\ \\text{{{}}}{}")
    ).format(value.unit.symbol, power)


def quotient(value: Quantity, dice: random.Random) -> str | None:
    above, slash, below = value.unit.symbol.partition("/")
    if not slash:
        return None
    fraction = f" \\frac{{\\text{{{above}}}}}{{\\text{{{below}}}}}"
    return _digits(value) + dice.choice((fraction, f" \\text{{ {above}}}/\\text{{{below}}}", f" {above} per {below}"))


def number(value: Quantity, dice: random.Random) -> str | None:
    return _digits(value) if value.bare else None


def converted(value: Quantity, dice: random.Random) -> str | None:
    others = [u for u in _UNITS if u.dimension == value.unit.dimension and u != value.unit]
    if not others:
        return None
    other = dice.choice(others)
    amount = value.amount * value.unit.size / other.size
    if (digits := decimal(amount, 5)) is None or len(digits) > 9:
        return None
    return f"{digits} {text(replace(value, amount=amount, unit=other), dice).removeprefix(digits).lstrip()}"


def amount(value: Quantity, dice: random.Random) -> Quantity:
    return replace(value, amount=value.amount + dice.choice((-1, 1, 2, 10)))


def tenfold(value: Quantity, dice: random.Random) -> Quantity:
    return replace(value, amount=value.amount * dice.choice((10, Fraction(1, 10), 1000)))


def like_unit(value: Quantity, dice: random.Random) -> Quantity:
    others = [u for u in _UNITS if u.dimension == value.unit.dimension]
    return replace(value, unit=dice.choice(others), bare=False)


def unlike_unit(value: Quantity, dice: random.Random) -> Quantity:
    others = [u for u in _UNITS if u.dimension != value.unit.dimension]
    return replace(value, unit=dice.choice(others), bare=False)


def same_quantity(reference: Quantity, answer: Quantity) -> bool:
    alike = reference.unit.dimension == answer.unit.dimension
    return alike and reference.amount * reference.unit.size == answer.amount * answer.unit.size


FAMILY = Family(
    "units",
    draw,
    references=(text, text, symbol, name),
    answers=(text, symbol, name, tied, quotient, number, converted),
    changes=(amount, tenfold, like_unit, unlike_unit),
    same=same_quantity,
)
