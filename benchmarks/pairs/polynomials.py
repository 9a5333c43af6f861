r"""Polynomials: expanded, factored, terms in any order, partly factored, named; in one variable and in two."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import SUPERSCRIPTS, latex, polynomial, product, summed, term


@dataclass(frozen=True, slots=True)
class Factored:
    """lead * (variable - root) * ..."""

    lead: Fraction
    roots: tuple[int, ...]
    variable: str

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """From the constant upwards."""
        total: tuple[Fraction, ...] = (self.lead,)
        for root in self.roots:
            total = product(total, (Fraction(-root), Fraction(1)))
        return total


def draw(dice: random.Random) -> Factored:
    roots = tuple(dice.choice((-1, 1)) * dice.randint(1, 9) for _ in range(dice.choice((1, 2, 2, 2, 3))))
    lead = Fraction(dice.choice((1, 1, 1, 2, 3, -1, -2)), dice.choice((1, 1, 1, 2)))
    return Factored(lead, roots, dice.choice(("x", "x", "x", "n", "t")))


def expanded(value: Factored, dice: random.Random) -> str:
    return polynomial(value.coefficients, value.variable)


def shuffled(value: Factored, dice: random.Random) -> str:
    return polynomial(value.coefficients, value.variable, dice)


def _factor(value: Factored, root: int) -> str:
    return f"({polynomial((-root, 1), value.variable)})"


def factored(value: Factored, dice: random.Random) -> str:
    sign = dice.choice(("", "", " ", " \\cdot "))
    body = sign.join(_factor(value, root) for root in dice.sample(value.roots, len(value.roots)))
    return {Fraction(1): "", Fraction(-1): "-"}.get(value.lead, latex(value.lead)) + body


def part_factored(value: Factored, dice: random.Random) -> str:
    """One factor outside, the rest expanded."""
    first, *rest = value.roots
    return _factor(value, first) + f"({polynomial(replace(value, roots=tuple(rest)).coefficients, value.variable)})"


def nested(value: Factored, dice: random.Random) -> str:
    constant, *higher = value.coefficients
    outer = f"{value.variable}({polynomial(higher, value.variable)})"
    return summed([outer, latex(constant)] if constant else [outer])


def program(value: Factored, dice: random.Random) -> str | None:
    if any(c.denominator > 1 for c in value.coefficients):
        return None
    text = polynomial(value.coefficients, value.variable)
    return re.sub(rf"(?<=\d){value.variable}", f"*{value.variable}", text).replace("^", dice.choice(("^", "**")))


def unicode_powers(value: Factored, dice: random.Random) -> str | None:
    if any(c.denominator > 1 for c in value.coefficients):
        return None
    text = polynomial(value.coefficients, value.variable)
    return "".join(
        sign.translate(SUPERSCRIPTS) if before == "^" else sign
        for before, sign in zip(" " + text, text, strict=False)
        if sign != "^"
    ).replace("-", dice.choice("-−"))


def grown_brackets(value: Factored, dice: random.Random) -> str:
    return factored(value, dice).replace("(", "\\left(").replace(")", "\\right)")


def squares(value: Factored, dice: random.Random) -> str | None:
    """Equal factors as powers."""
    if len(set(value.roots)) == len(value.roots):
        return None
    once = [_factor(value, root) + _power(value.roots.count(root)) for root in dict.fromkeys(value.roots)]
    return {Fraction(1): "", Fraction(-1): "-"}.get(value.lead, latex(value.lead)) + "".join(once)


def _power(count: int) -> str:
    return f"^{count}" if count > 1 else ""


def named(value: Factored, dice: random.Random) -> str | None:
    """Not with the changed variable: ``f(y) = y^2`` names the same function as ``f(x) = x^2``."""
    if value.variable == "y":
        return None
    return f"{dice.choice('fP')}({value.variable}) = {shuffled(value, dice)}"


def root(value: Factored, dice: random.Random) -> Factored:
    return replace(value, roots=(value.roots[0] + dice.choice((-1, 1)), *value.roots[1:]))


def root_sign(value: Factored, dice: random.Random) -> Factored:
    return replace(value, roots=(-value.roots[0], *value.roots[1:]))


def lead(value: Factored, dice: random.Random) -> Factored:
    return replace(value, lead=value.lead + dice.choice((-1, 1)) or Fraction(5))


def negated(value: Factored, dice: random.Random) -> Factored:
    return replace(value, lead=-value.lead)


def lost_root(value: Factored, dice: random.Random) -> Factored:
    return replace(value, roots=value.roots[1:]) if len(value.roots) > 1 else value


def other_variable(value: Factored, dice: random.Random) -> Factored:
    return replace(value, variable="y")


def same_polynomial(reference: Factored, answer: Factored) -> bool:
    return reference.variable == answer.variable and reference.coefficients == answer.coefficients


POLYNOMIALS = Family(
    "polynomials",
    draw,
    references=(expanded, expanded, factored),
    answers=(
        expanded,
        shuffled,
        factored,
        part_factored,
        nested,
        program,
        unicode_powers,
        grown_brackets,
        squares,
        named,
    ),
    changes=(root, root_sign, lead, negated, lost_root, other_variable),
    same=same_polynomial,
)

Square = tuple[int, int, int]
"""(a x + b y)^2 + c."""


def draw_square(dice: random.Random) -> Square:
    return dice.randint(1, 5), dice.choice((-1, 1)) * dice.randint(1, 5), dice.randint(-9, 9)


def _terms(value: Square) -> list[str]:
    a, b, c = value
    return [term(a * a, "x^2"), term(2 * a * b, "xy"), term(b * b, "y^2"), *([str(c)] if c else [])]


def open_square(value: Square, dice: random.Random) -> str:
    return summed(_terms(value))


def open_shuffled(value: Square, dice: random.Random) -> str:
    return summed(dice.sample(_terms(value), len(_terms(value)))).replace("xy", dice.choice(("xy", "yx", "x y")))


def closed_square(value: Square, dice: random.Random) -> str:
    a, b, c = value
    body = f"({summed(dice.sample((term(a, 'x'), term(b, 'y')), 2))})^{dice.choice(('2', '{2}'))}"
    return summed([body, str(c)] if c else [body])


def swapped(value: Square, dice: random.Random) -> Square:
    return value[1], value[0], value[2]


def cross_sign(value: Square, dice: random.Random) -> Square:
    return value[0], -value[1], value[2]


def constant(value: Square, dice: random.Random) -> Square:
    return value[0], value[1], value[2] + dice.choice((-1, 1))


def same_square(reference: Square, answer: Square) -> bool:
    return _terms(reference) == _terms(answer)


TWO_VARIABLES = Family(
    "polynomials",
    draw_square,
    references=(open_square, closed_square),
    answers=(open_square, open_shuffled, closed_square),
    changes=(swapped, cross_sign, constant),
    same=same_square,
)
