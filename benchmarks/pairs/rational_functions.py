r"""Rational functions a/(x + p) + b/(x + q): in parts, over one denominator, unreduced."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import polynomial


@dataclass(frozen=True, slots=True)
class Parts:
    """a/(x + p) + b/(x + q), p and q unlike, a and b not 0."""

    a: int
    p: int
    b: int
    q: int

    @property
    def above(self) -> tuple[int, int]:
        """The numerator over (x + p)(x + q), from the constant upwards."""
        return self.a * self.q + self.b * self.p, self.a + self.b

    @property
    def below(self) -> tuple[int, int, int]:
        return self.p * self.q, self.p + self.q, 1


def draw(dice: random.Random) -> Parts:
    p, q = dice.sample([n for n in range(-9, 10) if n], 2)
    a, b = (dice.choice((-1, 1)) * dice.randint(1, 7) for _ in range(2))
    return Parts(a, p, b, q) if a + b else draw(dice)


def _over(above: str, below: str, dice: random.Random) -> str:
    return dice.choice(("\\frac{{{}}}{{{}}}", "\\dfrac{{{}}}{{{}}}", "({})/({})")).format(above, below)


def _factor(shift: int) -> str:
    return f"({polynomial((shift, 1))})"


def parts(value: Parts, dice: random.Random) -> str:
    sign = "-" if value.b < 0 else "+"
    first = ("-" if value.a < 0 else "") + f"\\frac{{{abs(value.a)}}}{{{polynomial((value.p, 1))}}}"
    return f"{first} {sign} \\frac{{{abs(value.b)}}}{{{polynomial((value.q, 1))}}}"


def one_fraction(value: Parts, dice: random.Random) -> str:
    return f"\\frac{{{polynomial(value.above)}}}{{{_factor(value.p)}{_factor(value.q)}}}"


def expanded(value: Parts, dice: random.Random) -> str:
    return _over(polynomial(value.above), polynomial(value.below), dice)


def unreduced(value: Parts, dice: random.Random) -> str:
    k = dice.choice((-3, -2, -1, 2, 3))
    return _over(polynomial([k * c for c in value.above]), polynomial([k * c for c in value.below]), dice)


def shuffled(value: Parts, dice: random.Random) -> str:
    return f"\\frac{{{polynomial(value.above, dice=dice)}}}{{{_factor(value.q)}{_factor(value.p)}}}"


def bracketed(value: Parts, dice: random.Random) -> str:
    sign = "-" if value.b < 0 else "+"
    first = f"\\frac{{{value.a}}}{{\\left({polynomial((value.p, 1))}\\right)}}"
    return f"{first} {sign} {abs(value.b)}/({polynomial((value.q, 1))})"


def negative_power(value: Parts, dice: random.Random) -> str:
    return f"({polynomial(value.above)}) {_factor(value.p)}^{{-1}} {_factor(value.q)}^{{-1}}"


def numerator(value: Parts, dice: random.Random) -> Parts:
    return replace(value, a=value.a + dice.choice((-1, 1)))


def shift(value: Parts, dice: random.Random) -> Parts:
    return replace(value, p=value.p + dice.choice((-1, 1)))


def shift_sign(value: Parts, dice: random.Random) -> Parts:
    return replace(value, q=-value.q)


def second_sign(value: Parts, dice: random.Random) -> Parts:
    return replace(value, b=-value.b)


def same_function(reference: Parts, answer: Parts) -> bool:
    """By cross-multiplication at more points than the products have coefficients."""

    def values(value: Parts, x: int) -> tuple[int, int]:
        return (
            sum(c * x**n for n, c in enumerate(value.above)),
            sum(c * x**n for n, c in enumerate(value.below)),
        )

    crossed = [(values(reference, x), values(answer, x)) for x in range(8)]
    return all(above * other_below == other_above * below for (above, below), (other_above, other_below) in crossed)


FAMILY = Family(
    "rational functions",
    draw,
    references=(parts, one_fraction, expanded),
    answers=(parts, one_fraction, expanded, unreduced, shuffled, bracketed, negative_power),
    changes=(numerator, shift, shift_sign, second_sign),
    same=same_function,
)
