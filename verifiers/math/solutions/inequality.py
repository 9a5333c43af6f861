"""Inequalities of rational functions in one variable, such as ``x^2 - 2x < 3``: by the signs between their roots."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.node import CONSTANTS, Node, symbols
from verifiers.math.algebra.polynomial import Polynomial, TooMuch
from verifiers.math.algebra.ring import Undefined
from verifiers.math.algebra.roots import LARGEST_DEGREE, Coefficients, real_roots, value
from verifiers.math.solutions.interval import HIGHEST, LOWEST, End, Interval, Region, finite, point, union, without

_NEAREST = 1e-7
"""Roots that are nearer to one another than that, relatively, are not told apart."""


def solution(difference: Node, operator: str) -> Region | None:
    """Where ``difference operator 0`` holds; None where the difference is no rational function that is solved here."""
    names = symbols(difference) - CONSTANTS
    if len(names) != 1:
        return None
    canonical = Canonical()
    try:
        form = canonical.of(difference)
    except (TooMuch, Undefined):
        return None
    above, below = (_coefficients(one, next(iter(names))) for one in form)
    if above is None or below is None or not canonical.ring.exact:
        return None
    zeros, poles = real_roots(above), real_roots(below)
    if zeros is None or poles is None:
        return None
    return _solved(above, below, zeros, poles, operator)


def _coefficients(one: Polynomial, name: str) -> Coefficients | None:
    """None where there is another atom than the variable, or nothing at all."""
    found: dict[int, Fraction] = {}
    for monomial, coefficient in one.items():
        if not monomial:
            found[0] = Fraction(coefficient)
            continue
        [(atom, power), *more] = monomial
        if more or atom != name or not isinstance(power, int) or not 0 < power <= LARGEST_DEGREE:
            return None
        found[power] = Fraction(coefficient)
    return [found.get(power, Fraction(0)) for power in range(max(found) + 1)] if found else None


def _solved(
    above: Coefficients, below: Coefficients, zeros: list[Node], poles: list[Node], operator: str
) -> Region | None:
    ends = [finite(node) for node in (*zeros, *poles)]
    if any(end is None for end in ends):
        return None
    places = sorted((end for end in ends if end is not None), key=lambda end: end.at)
    if any(after.at - before.at <= _NEAREST * max(1.0, abs(after.at)) for before, after in pairwise(places)):
        return None
    at_zero: Region | None = union([[point(end)] for end in ends[: len(zeros)] if end is not None])
    at_pole: Region | None = union([[point(end)] for end in ends[len(zeros) :] if end is not None])
    if operator == "=":
        return at_zero
    parts: list[Region | None] = [at_zero] if "=" in operator and operator != "!=" else []
    for low, high in pairwise([LOWEST, *places, HIGHEST]):
        between = _between(low.at, high.at)
        positive = (value(above, between) > 0) == (value(below, between) > 0)
        if operator == "!=" or positive == (operator[0] == ">"):
            parts.append([Interval(End(low.at, low.node), End(high.at, high.node))])
    found = union(parts)
    return without(found, at_pole)


def _between(low: float, high: float) -> Fraction:
    if math.isinf(low):
        return Fraction(0) if math.isinf(high) else Fraction(high) - 1
    return Fraction(low) + 1 if math.isinf(high) else (Fraction(low) + Fraction(high)) / 2
