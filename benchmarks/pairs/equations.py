r"""Equations of lines and circles, rearranged and scaled."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import latex, polynomial, summed, term


@dataclass(frozen=True, slots=True)
class Line:
    """y = slope * x + offset, slope not 0."""

    slope: Fraction
    offset: Fraction

    @property
    def whole(self) -> tuple[int, int, int]:
        """a, b, c of a x + b y = c with b > 0."""
        b = self.slope.denominator * self.offset.denominator
        return int(-self.slope * b), b, int(self.offset * b)


def draw_line(dice: random.Random) -> Line:
    return Line(
        Fraction(dice.choice((-1, 1)) * dice.randint(1, 9), dice.choice((1, 1, 1, 2, 3))), Fraction(dice.randint(-9, 9))
    )


def _right(value: Line, dice: random.Random | None = None) -> str:
    return polynomial((value.offset, value.slope), dice=dice)


def slope_form(value: Line, dice: random.Random) -> str:
    return f"y = {_right(value)}"


def slope_shuffled(value: Line, dice: random.Random) -> str:
    sides = ["y", _right(value, dice)]
    dice.shuffle(sides)
    return " = ".join(sides)


def standard(value: Line, dice: random.Random) -> str:
    k = dice.choice((1, 1, -1, 2))
    a, b, c = (k * n for n in value.whole)
    return f"{summed([term(a, 'x'), term(b, 'y')])} = {c}"


def to_zero(value: Line, dice: random.Random) -> str:
    k = dice.choice((1, 1, -1, 3))
    a, b, c = (k * n for n in value.whole)
    return f"{summed([term(a, 'x'), term(b, 'y'), *([str(-c)] if c else [])])} = 0"


def scaled_sides(value: Line, dice: random.Random) -> str:
    """k y = k (slope x + offset)."""
    k = value.slope.denominator * dice.randint(2, 4)
    return f"{k}y = {polynomial((value.offset * k, value.slope * k))}"


def halved(value: Line, dice: random.Random) -> str:
    a, b, c = value.whole
    return f"\\frac{{{summed([term(a, 'x'), term(b, 'y')])}}}{{2}} = {latex(Fraction(c, 2))}"


def through_point(value: Line, dice: random.Random) -> str:
    x = dice.choice((-1, 1)) * value.slope.denominator * dice.randint(1, 4)
    y = value.slope * x + value.offset
    slope = {1: "", -1: "-"}.get(int(value.slope) if value.slope.denominator == 1 else 0, latex(value.slope))
    return f"{polynomial((-y, 1), 'y')} = {slope}({polynomial((-x, 1))})"


def slope(value: Line, dice: random.Random) -> Line:
    return replace(value, slope=value.slope + dice.choice((-1, 1)) or Fraction(7))


def slope_sign(value: Line, dice: random.Random) -> Line:
    return replace(value, slope=-value.slope)


def inverse_slope(value: Line, dice: random.Random) -> Line:
    return replace(value, slope=1 / value.slope)


def offset(value: Line, dice: random.Random) -> Line:
    return replace(value, offset=value.offset + dice.choice((-1, 1, 2)))


def offset_sign(value: Line, dice: random.Random) -> Line:
    return replace(value, offset=-value.offset)


LINES = Family(
    "equations",
    draw_line,
    references=(slope_form, slope_form, standard),
    answers=(slope_form, slope_shuffled, standard, to_zero, scaled_sides, halved, through_point),
    changes=(slope, slope_sign, inverse_slope, offset, offset_sign),
)

Circle = tuple[int, int, int]
"""Centre (h, k) and squared radius."""


def draw_circle(dice: random.Random) -> Circle:
    return dice.randint(-6, 6), dice.randint(-6, 6), dice.choice((1, 4, 9, 16, 25, 5, 10, 13))


def _shift(x: str, by: int) -> str:
    return f"({polynomial((-by, 1), x)})^2" if by else f"{x}^2"


def centred(value: Circle, dice: random.Random) -> str:
    return f"{_shift('x', value[0])} + {_shift('y', value[1])} = {value[2]}"


def centred_swapped(value: Circle, dice: random.Random) -> str:
    return f"{value[2]} = {_shift('y', value[1])} + {_shift('x', value[0])}"


def expanded(value: Circle, dice: random.Random) -> str:
    h, k, r = value
    linear = [term(c, x) for c, x in ((-2 * h, "x"), (-2 * k, "y")) if c]
    rest = h * h + k * k - r
    if dice.random() < 0.5:
        return f"{summed(['x^2', 'y^2', *linear])} = {-rest}"
    return f"{summed(['x^2', 'y^2', *linear, *([str(rest)] if rest else [])])} = 0"


def centre(value: Circle, dice: random.Random) -> Circle:
    return value[0] + dice.choice((-1, 1)), value[1], value[2]


def centre_sign(value: Circle, dice: random.Random) -> Circle:
    return -value[0], -value[1], value[2]


def radius(value: Circle, dice: random.Random) -> Circle:
    """Among others the radius for its square."""
    return value[0], value[1], {1: 2, 4: 2, 9: 3, 16: 4, 25: 5}.get(value[2], value[2] + 1)


CIRCLES = Family(
    "equations",
    draw_circle,
    references=(centred, centred, expanded),
    answers=(centred, centred_swapped, expanded),
    changes=(centre, centre_sign, radius),
)
