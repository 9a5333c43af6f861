"""The real roots of polynomials in one variable: rational ones, and those of the quadratic that remains."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, isqrt, lcm

from verifiers.math.algebra.node import Node, Number, Power, Product, Sum, negative

LARGEST_COEFFICIENT = 10_000
LARGEST_DEGREE = 8
_HALF = Number(Fraction(1, 2))

Coefficients = list[Fraction]
"""By rising degree, the last one not zero."""


def value(polynomial: Coefficients, at: Fraction) -> Fraction:
    total = Fraction(0)
    for coefficient in reversed(polynomial):
        total = total * at + coefficient
    return total


def real_roots(polynomial: Coefficients) -> list[Node] | None:
    """Each root once, in no order; None where what is left after the rational ones has a degree above two.

    A polynomial in the square of its variable counts as one in that square.
    """
    if len(polynomial) > LARGEST_DEGREE + 1:
        return None
    rational, rest = _rational(polynomial)
    found: list[Node] = [Number(root) for root in rational]
    if len(rest) == 1:
        return found
    if len(rest) == 3:
        return found + _quadratic(rest[2], rest[1], rest[0])
    if len(rest) == 5 and not rest[1] and not rest[3]:
        for square in _quadratic(rest[4], rest[2], rest[0]):
            if _positive(square):
                root = Power(square, _HALF)
                found += [root, negative(root)]
        return found
    return None


def _rational(polynomial: Coefficients) -> tuple[list[Fraction], Coefficients]:
    found: list[Fraction] = []
    rest = polynomial
    while len(rest) > 1 and rest[0] == 0:
        rest = rest[1:]
        found = [Fraction(0)]
    scale = lcm(*(coefficient.denominator for coefficient in rest))
    whole = [int(coefficient * scale) for coefficient in rest]
    divisor = gcd(*whole)
    first, last = abs(whole[-1]) // divisor, abs(whole[0]) // divisor
    if len(rest) == 2:
        return [*found, -rest[0] / rest[1]], [rest[1]]
    if len(rest) == 1 or max(first, last) > LARGEST_COEFFICIENT:
        return found, rest
    for p in _divisors(last):
        for q in _divisors(first):
            for above in (p, -p):
                if _vanishes(whole, above, q):
                    while len(rest) > 1 and value(rest, Fraction(above, q)) == 0:
                        rest = _divided(rest, Fraction(above, q))
                    found.append(Fraction(above, q))
    return list(dict.fromkeys(found)), rest


def _vanishes(whole: list[int], p: int, q: int) -> bool:
    """Whether the polynomial of whole coefficients is zero at p/q; in whole numbers, which are fast."""
    total, scale = 0, 1
    for coefficient in reversed(whole):
        total = total * p + coefficient * scale
        scale *= q
    return total == 0


def _divisors(number: int) -> list[int]:
    small = [divisor for divisor in range(1, isqrt(number) + 1) if number % divisor == 0]
    return small + [number // divisor for divisor in small if divisor * divisor != number]


def _divided(polynomial: Coefficients, root: Fraction) -> Coefficients:
    """By ``x - root``, which divides it."""
    found: Coefficients = []
    carried = Fraction(0)
    for coefficient in reversed(polynomial):
        carried = carried * root + coefficient
        found.append(carried)
    return found[-2::-1]


def _quadratic(a: Fraction, b: Fraction, c: Fraction) -> list[Node]:
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    middle, below = Number(-b / (2 * a)), Number(1 / (2 * a))
    if discriminant == 0:
        return [middle]
    step = Product((below, Power(Number(discriminant), _HALF)))
    return [Sum((middle, step)), Sum((middle, negative(step)))]


def _positive(root: Node) -> bool:
    from verifiers.math.algebra.probe import number

    found = number(root)
    return found is not None and not isinstance(found[0], complex) and found[0] > 0
