"""Polynomials in named atoms with whole coefficients, within a budget of work.

A monomial maps atoms to exponents as a sorted tuple, a polynomial maps monomials to coefficients. Exponents are
whole or fractions (``x^(1/2)``), negative ones included. Nothing here knows what an atom stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

Exponent = int | Fraction
Monomial = tuple[tuple[str, Exponent], ...]
Polynomial = dict[Monomial, int]

UNIT: Monomial = ()
MOST_TERMS = 400
MOST_BITS = 16_000


class TooMuch(ArithmeticError):
    """Beyond the bounds on terms, on bits, or on work in all."""


def constant(value: int) -> Polynomial:
    return {UNIT: value} if value else {}


def atom(name: str, exponent: Exponent = 1) -> Polynomial:
    return {((name, exponent),): 1}


def plus(one: Polynomial, other: Polynomial, factor: int = 1) -> Polynomial:
    """``one + factor * other``."""
    found = dict(one)
    for monomial, coefficient in other.items():
        total = found.get(monomial, 0) + factor * coefficient
        if total:
            found[monomial] = total
        else:
            found.pop(monomial, None)
    if len(found) > MOST_TERMS:
        raise TooMuch
    return found


def scale_by(one: Polynomial, factor: int) -> Polynomial:
    if factor == 1:
        return one
    return {monomial: coefficient * factor for monomial, coefficient in one.items()} if factor else {}


def multiply_monomials(one: Monomial, other: Monomial) -> Monomial:
    """The product of two monomials."""
    if not one:
        return other
    if not other:
        return one
    exponents = dict(one)
    for name, exponent in other:
        exponents[name] = exponents.get(name, 0) + exponent
    return monomial_of(exponents.items())


def monomial_of(pairs: Iterable[tuple[str, Exponent]]) -> Monomial:
    return tuple(sorted((name, whole(exponent)) for name, exponent in pairs if exponent))


def whole(exponent: Exponent) -> Exponent:
    """An int where the exponent is whole."""
    return exponent.numerator if exponent.denominator == 1 else exponent


def content(one: Polynomial) -> int:
    """The greatest common divisor of the coefficients."""
    return gcd(*one.values())


def divide_by(one: Polynomial, divisor: int) -> Polynomial:
    return one if divisor == 1 else {monomial: coefficient // divisor for monomial, coefficient in one.items()}


def common(one: Polynomial) -> Monomial:
    """The monomial that divides all terms: of each atom the least exponent."""
    terms = iter(one)
    least = dict(next(terms))
    for monomial in terms:
        exponents = dict(monomial)
        for name in exponents.keys() - least.keys():
            least[name] = min(0, exponents[name])
        for name in least:
            least[name] = min(least[name], exponents.get(name, 0))
    return monomial_of(least.items())


def shift_by(one: Polynomial, monomial: Monomial) -> Polynomial:
    return {multiply_monomials(term, monomial): coefficient for term, coefficient in one.items()} if monomial else one


def raise_monomial(monomial: Monomial, exponent: Exponent) -> Monomial:
    return monomial_of((name, power * exponent) for name, power in monomial)


def leading(one: Polynomial) -> Monomial:
    """The greatest monomial, in an order that depends on nothing but the monomials."""
    return max(one, key=_order)


def _order(monomial: Monomial) -> tuple[Exponent, Monomial]:
    return sum(exponent for _, exponent in monomial), monomial


def key(one: Polynomial) -> str:
    """A name that equal polynomials share."""
    return ";".join(
        f"{coefficient}" + "".join(f"*{name}^{exponent}" for name, exponent in monomial)
        for monomial, coefficient in sorted(one.items())
    )
