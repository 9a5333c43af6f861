r"""Roots: taken out and put back, rationalised, as powers, products, sums in any order, cube roots, nested roots."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import SQUAREFREE, latex, summed, term


@dataclass(frozen=True, slots=True)
class Surd:
    """factor * radicand^(1/degree); the radicand is squarefree and above 1, degree 2 or 3."""

    factor: Fraction
    radicand: int
    degree: int = 2


def draw(dice: random.Random) -> Surd:
    factor = Fraction(dice.choice((-1, 1, 1)) * dice.randint(1, 12), dice.choice((1, 1, 1, 2, 3)))
    return Surd(factor, dice.choice(SQUAREFREE), dice.choice((2, 2, 2, 3)))


def _root(radicand: int | Fraction, degree: int) -> str:
    index = "" if degree == 2 else f"[{degree}]"
    return f"\\sqrt{index}{{{latex(radicand)}}}"


def outside(value: Surd, dice: random.Random) -> str:
    return term(value.factor, _root(value.radicand, value.degree))


def above(value: Surd, dice: random.Random) -> str:
    if value.factor.denominator == 1:
        return outside(value, dice)
    top = term(abs(value.factor.numerator), _root(value.radicand, value.degree))
    return ("-" if value.factor < 0 else "") + f"\\frac{{{top}}}{{{value.factor.denominator}}}"


def inside(value: Surd, dice: random.Random) -> str:
    sign = "-" if value.factor < 0 else ""
    return sign + _root(abs(value.factor) ** value.degree * value.radicand, value.degree)


def below(value: Surd, dice: random.Random) -> str | None:
    """n/sqrt(r): the root not rationalised."""
    if value.degree != 2:
        return None
    top = abs(value.factor.numerator) * value.radicand
    bottom = term(value.factor.denominator, _root(value.radicand, 2))
    return ("-" if value.factor < 0 else "") + f"\\frac{{{top}}}{{{bottom}}}"


def power(value: Surd, dice: random.Random) -> str:
    exponent = dice.choice(("{{1/{}}}", "{{\\frac{{1}}{{{}}}}}", "{{\\frac1{}}}")).format(value.degree)
    if abs(value.factor) == 1:
        return ("-" if value.factor < 0 else "") + f"{value.radicand}^{exponent}"
    return f"{latex(value.factor)} \\cdot {value.radicand}^{exponent}"


def in_unicode(value: Surd, dice: random.Random) -> str | None:
    if value.degree != 2 or value.factor.denominator > 1:
        return None
    return term(value.factor, dice.choice((f"√{value.radicand}", f"√({value.radicand})")))


def program(value: Surd, dice: random.Random) -> str:
    inner = f"sqrt({value.radicand})" if value.degree == 2 else f"{value.radicand}^(1/3)"
    return f"{value.factor}*{inner}" if value.factor.denominator == 1 else f"({value.factor})*{inner}"


def split(value: Surd, dice: random.Random) -> str | None:
    divisors = [d for d in range(2, value.radicand) if value.radicand % d == 0]
    if not divisors:
        return None
    d = dice.choice(divisors)
    return term(value.factor, f"{_root(d, value.degree)}{_root(value.radicand // d, value.degree)}")


def unreduced(value: Surd, dice: random.Random) -> str | None:
    k = 2 if value.factor.numerator % 2 == 0 else 3
    if value.factor.numerator % k:
        return None
    return term(value.factor / k, _root(value.radicand * k**value.degree, value.degree))


def radicand(value: Surd, dice: random.Random) -> Surd:
    return replace(value, radicand=dice.choice(SQUAREFREE))


def factor(value: Surd, dice: random.Random) -> Surd:
    return replace(value, factor=value.factor + dice.choice((-1, 1)) or Fraction(13))


def sign(value: Surd, dice: random.Random) -> Surd:
    return replace(value, factor=-value.factor)


def inverted(value: Surd, dice: random.Random) -> Surd:
    return replace(value, factor=1 / value.factor)


def degree(value: Surd, dice: random.Random) -> Surd:
    return replace(value, degree=5 - value.degree)


SURDS = Family(
    "radicals",
    draw,
    references=(above, above, outside, inside),
    answers=(above, outside, inside, below, power, in_unicode, program, split, unreduced),
    changes=(radicand, factor, sign, inverted, degree),
)


@dataclass(frozen=True, slots=True)
class Sum:
    """whole + factor * sqrt(radicand)."""

    whole: int
    factor: int
    radicand: int

    @property
    def norm(self) -> int:
        return self.whole**2 - self.factor**2 * self.radicand


def draw_sum(dice: random.Random) -> Sum:
    return Sum(dice.randint(1, 20), dice.choice((-1, 1)) * dice.randint(1, 9), dice.choice(SQUAREFREE[:15]))


def _terms(value: Sum, k: int = 1) -> list[str]:
    return [str(value.whole * k), term(value.factor * k, f"\\sqrt{{{value.radicand}}}")]


def summed_up(value: Sum, dice: random.Random) -> str:
    return summed(_terms(value))


def turned(value: Sum, dice: random.Random) -> str:
    return summed(_terms(value)[::-1])


def root_inside(value: Sum, dice: random.Random) -> str:
    sign = "-" if value.factor < 0 else ""
    return summed([str(value.whole), f"{sign}\\sqrt{{{value.factor**2 * value.radicand}}}"])


def over_one(value: Sum, dice: random.Random) -> str:
    k = dice.randint(2, 5)
    return f"\\frac{{{summed(_terms(value, k))}}}{{{k}}}"


def conjugate_below(value: Sum, dice: random.Random) -> str:
    """norm / (whole - factor sqrt(radicand)); the norm is not 0, as the radicand is no square."""
    return f"\\frac{{{value.norm}}}{{{summed(_terms(replace(value, factor=-value.factor)))}}}"


def nested_root(value: Sum, dice: random.Random) -> str | None:
    """The square root of the square, where the sum is positive."""
    if value.factor < 0:
        return None
    square = value.whole**2 + value.factor**2 * value.radicand
    double = term(2 * value.whole * value.factor, f"\\sqrt{{{value.radicand}}}")
    return f"\\sqrt{{{square} + {double}}}"


def whole_part(value: Sum, dice: random.Random) -> Sum:
    return replace(value, whole=value.whole + 1)


def root_factor(value: Sum, dice: random.Random) -> Sum:
    return replace(value, factor=value.factor + 1 or 3)


def conjugate(value: Sum, dice: random.Random) -> Sum:
    return replace(value, factor=-value.factor)


def other_root(value: Sum, dice: random.Random) -> Sum:
    return replace(value, radicand=dice.choice(SQUAREFREE[:15]))


SUMS = Family(
    "radicals",
    draw_sum,
    references=(summed_up, summed_up, root_inside),
    answers=(summed_up, turned, root_inside, over_one, conjugate_below, nested_root),
    changes=(whole_part, root_factor, conjugate, other_root),
)
