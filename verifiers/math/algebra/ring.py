r"""Quotients of polynomials whose atoms obey relations: ``\sqrt{2}^2 = 2``, ``i^2 = -1``, ``\sin^2 + \cos^2 = 1``.

An atom's first character tells its relation; a plain name has none. Products of fractional powers of distinct
primes are linearly independent over the rationals, so a sum of them is zero only where it is empty: on
radicals of integers, ``i``, one of pi and e, and variables the test for zero decides both ways (``exact``).
On the rest (functions, roots of sums) it proves equality only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from verifiers.math.algebra.polynomial import (
    MOST_BITS,
    MOST_TERMS,
    UNIT,
    Exponent,
    Monomial,
    Polynomial,
    TooMuch,
    atom,
    common,
    constant,
    content,
    divide_by,
    key,
    leading,
    monomial_of,
    multiply_monomials,
    plus,
    raise_monomial,
    scale_by,
    shift_by,
    whole,
)

MOST_WORK = 12_000
PRIME, IMAGINARY, ROOT, SINE, COSINE, POWER, FUNCTION = "#", "!", "(", "~", "=", "^", "@"
_BOUND = frozenset((PRIME, IMAGINARY, ROOT, SINE))
I_ATOM = "!i"


class Undefined(ArithmeticError):
    """The expression has no value: a division by zero, a logarithm of zero."""


class Quotient(NamedTuple):
    """``above / below``; exponents are never negative, ``below`` is never the empty sum."""

    above: Polynomial
    below: Polynomial


def rational(value: Fraction) -> Quotient:
    return Quotient(constant(value.numerator), constant(value.denominator))


def value(one: Quotient) -> Fraction | None:
    """The rational number that a quotient is, or None."""
    if len(one.below) != 1 or UNIT not in one.below or one.above.keys() - {UNIT}:
        return None
    return Fraction(one.above.get(UNIT, 0), one.below[UNIT])


class Ring:
    """The arithmetic of one comparison: its atoms' relations and its budget."""

    def __init__(self) -> None:
        self.roots: dict[str, Polynomial] = {}
        self.exact = True
        self._work = 0

    def product(self, one: Polynomial, other: Polynomial) -> Polynomial:
        self._work += len(one) * len(other)
        if self._work > MOST_WORK:
            raise TooMuch
        found: Polynomial = {}
        for left, a in one.items():
            for right, b in other.items():
                monomial = multiply_monomials(left, right)
                if left and right and any(name[0] in _BOUND for name, _ in monomial):
                    found = plus(found, self._reduced(monomial), a * b)
                else:
                    total = found.get(monomial, 0) + a * b
                    if total:
                        found[monomial] = total
                    else:
                        found.pop(monomial, None)
        return _bounded(found)

    def power(self, one: Polynomial, exponent: int) -> Polynomial:
        if len(one) == 1:
            [(monomial, coefficient)] = one.items()
            if coefficient.bit_length() * exponent > MOST_BITS:
                raise TooMuch
            return scale_by(self._reduced(raise_monomial(monomial, exponent)), coefficient**exponent)
        found, square = constant(1), one
        while exponent:
            if exponent & 1:
                found = self.product(found, square)
            exponent >>= 1
            if exponent:
                square = self.product(square, square)
        return found

    def _reduced(self, monomial: Monomial) -> Polynomial:
        """A monomial after the relations of its atoms."""
        factor, kept, factors = 1, [], []
        for name, exponent in monomial:
            full = exponent // 1
            if name[0] == PRIME and full:
                factor *= self._raised_prime(int(name[1:]), full)
                exponent -= full
            elif name[0] == IMAGINARY:
                factor *= -1 if exponent % 4 >= 2 else 1
                exponent = exponent % 2
            elif name[0] == ROOT and full:
                factors.append(self.power(self.roots[name], full))
                exponent -= full
            elif name[0] == SINE and exponent >= 2 and exponent.denominator == 1:
                cosine = {UNIT: 1, ((COSINE + name[1:], 2),): -1}
                factors.append(self.power(cosine, int(exponent) // 2))
                exponent = exponent % 2
            if exponent:
                kept.append((name, whole(exponent)))
        found = {tuple(kept): factor}
        for one in factors:
            found = self.product(found, one)
        return found

    def _raised_prime(self, prime: int, exponent: int) -> int:
        if prime.bit_length() * exponent > MOST_BITS:
            raise TooMuch
        return int(prime**exponent)

    def sum(self, one: Quotient, other: Quotient) -> Quotient:
        if one.below == other.below:
            return Quotient(plus(one.above, other.above), one.below)
        if one.below.keys() == other.below.keys() == {UNIT}:
            a, b = one.below[UNIT], other.below[UNIT]
            return Quotient(plus(scale_by(one.above, b), other.above, a), constant(a * b))
        above = plus(self.product(one.above, other.below), self.product(other.above, one.below))
        return Quotient(above, self.product(one.below, other.below))

    def times(self, one: Quotient, other: Quotient) -> Quotient:
        return Quotient(self.product(one.above, other.above), self.product(one.below, other.below))

    def inverse(self, one: Quotient) -> Quotient:
        if not one.above:
            raise Undefined
        return Quotient(one.below, one.above)

    def raise_to(self, one: Quotient, exponent: int) -> Quotient:
        if exponent < 0:
            one, exponent = self.inverse(one), -exponent
        elif exponent == 0 and not one.above:
            raise Undefined
        return Quotient(self.power(one.above, exponent), self.power(one.below, exponent))

    def root_of(self, one: Polynomial, exponent: Exponent) -> Polynomial:
        """An atom for ``one ** exponent``, a sum that has no content."""
        self.exact = False
        name = f"{ROOT}{key(one)})"
        self.roots[name] = one
        return atom(name, exponent)

    def difference(self, one: Quotient, other: Quotient) -> Polynomial:
        """Empty where the two are equal."""
        if one.below == other.below:
            return plus(one.above, other.above, -1)
        return plus(self.product(one.above, other.below), self.product(other.above, one.below), -1)


def _bounded(one: Polynomial) -> Polynomial:
    if len(one) > MOST_TERMS or any(abs(c).bit_length() > MOST_BITS for c in one.values()):
        raise TooMuch
    return one


def normal(one: Quotient) -> Quotient:
    """Without common content and common atoms, the leading coefficient below positive."""
    above, below = one
    if not above:
        return Quotient(above, constant(1))
    divisor = _gcd(content(above), content(below))
    if below[leading(below)] < 0:
        divisor = -divisor
    least = dict(common(above))
    other = dict(common(below))
    shared = {name: min(power, other[name]) for name, power in least.items() if name in other}
    away = monomial_of((name, -power) for name, power in shared.items())
    return Quotient(shift_by(divide_by(above, divisor), away), shift_by(divide_by(below, divisor), away))


def _gcd(one: int, other: int) -> int:
    while other:
        one, other = other, one % other
    return abs(one)


def name_of(one: Quotient) -> str:
    """A name that quotients share which are equal term by term."""
    above, below = normal(one)
    return key(above) if below == {UNIT: 1} else f"{key(above)}|{key(below)}"
