"""Forms that a question may require of an answer, told from the answer's own tree and text.

``simplified``: fractions in lowest terms, radicands without square factors, no radical below a line, no sum or
product of numbers left to carry out. ``factored``: a product of factors none of which is a sum with a common
factor or a difference of squares left as it is. ``expanded``: no product of sums.
"""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from math import gcd, isqrt

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import MINUS_ONE, Node, Number, Power, Product, Sum, children
from verifiers.math.algebra.polynomial import Polynomial, TooMuch, common, content
from verifiers.math.algebra.radical import factors
from verifiers.math.algebra.ring import Undefined
from verifiers.math.reading.form import Form

_DECIMAL = re.compile(r"[-+]?\d*(?:\.(\d+))?", re.ASCII)
LARGEST_COEFFICIENT = 2_000
LARGEST_DEGREE = 8


class Required(StrEnum):
    ANY = "any"
    SIMPLIFIED = "simplified"
    FACTORED = "factored"
    EXPANDED = "expanded"


def meets(answer: Form, form: Required, decimal_places: int | None) -> bool:
    """Whether an answer has the form; one that is not read as an expression does."""
    if decimal_places is not None:
        written = _DECIMAL.fullmatch(answer.core.replace(",", ""))
        return written is not None and len(written[1] or "") == decimal_places
    if form is Required.ANY:
        return True
    node = expression(answer.core)
    if node is None:
        return True
    if form is Required.SIMPLIFIED:
        return _simplified(node)
    return _factored(node) if form is Required.FACTORED else _expanded(node)


def _simplified(node: Node) -> bool:
    if isinstance(node, Product) and not _lowest(node):
        return False
    if isinstance(node, Sum) and sum(_is_rational(term) for term in node.terms) > 1:
        return False
    if isinstance(node, Power) and not _simple_power(node):
        return False
    return all(_simplified(child) for child in children(node))


def _lowest(node: Product) -> bool:
    above = [factor for factor in node.factors if isinstance(factor, Number) and factor != MINUS_ONE]
    below = [factor.base for factor in node.factors if isinstance(factor, Power) and factor.exponent == MINUS_ONE]
    numbers = [factor for factor in below if isinstance(factor, Number)]
    if len(above) > 1 or len(numbers) > 1 or any(_has_radical(factor) for factor in below):
        return False
    over, under = (above[0].value if above else None), (numbers[0].value if numbers else None)
    if under is None:
        return True
    if under.denominator != 1 or under == 1 or (over is not None and over.denominator != 1):
        return False
    return over is None or gcd(over.numerator, under.numerator) == 1


def _simple_power(node: Power) -> bool:
    if not isinstance(node.exponent, Number) or not isinstance(node.base, Number):
        return True
    exponent, base = node.exponent.value, node.base.value
    if exponent == -1:
        return True
    if exponent.denominator == 1 or base.denominator != 1:
        return False
    return base > 1 and all(power < exponent.denominator for _, power in factors(base.numerator)[0])


def _has_radical(node: Node) -> bool:
    radical = isinstance(node, Power) and isinstance(node.exponent, Number) and node.exponent.value.denominator != 1
    return radical or any(_has_radical(child) for child in children(node))


def _is_rational(node: Node) -> bool:
    if isinstance(node, Number):
        return True
    if isinstance(node, Product):
        return all(_is_rational(factor) for factor in node.factors)
    return isinstance(node, Power) and _is_rational(node.base) and isinstance(node.exponent, Number)


def _factored(node: Node) -> bool:
    """Of every sum among the factors: nothing common to its terms, and no difference of squares."""
    if isinstance(node, Product):
        return all(_factored(factor) for factor in node.factors)
    if isinstance(node, Power):
        return _factored(node.base)
    return _irreducible(node) if isinstance(node, Sum) else True


def _irreducible(node: Sum) -> bool:
    try:
        found = Canonical().of(node).above
    except (TooMuch, Undefined):
        return True
    if not found:
        return False
    names = {name for monomial in found for name, _ in monomial}
    if content(found) > 1 or common(found):
        return False
    return not _difference_of_squares(found) and (len(names) != 1 or not _has_rational_root(found))


def _difference_of_squares(found: Polynomial) -> bool:
    if len(found) != 2 or sum(coefficient > 0 for coefficient in found.values()) != 1:
        return False
    even = all(exponent % 2 == 0 for monomial in found for _, exponent in monomial)
    return even and all(isqrt(abs(coefficient)) ** 2 == abs(coefficient) for coefficient in found.values())


def _has_rational_root(found: Polynomial) -> bool:
    """Of a polynomial in one variable of degree two or more, as far as its outer coefficients are small."""
    by_degree = {(monomial[0][1] if monomial else 0): coefficient for monomial, coefficient in found.items()}
    if any(not isinstance(degree, int) for degree in by_degree) or max(by_degree) < 2:
        return False
    first, last = abs(by_degree[max(by_degree)]), abs(by_degree.get(0, 0))
    if max(first, last) > LARGEST_COEFFICIENT or max(by_degree) > LARGEST_DEGREE:
        return False
    candidates = {Fraction(sign * p, q) for p in _divisors(last) for q in _divisors(first) for sign in (1, -1)}
    return any(sum(c * x**degree for degree, c in by_degree.items()) == 0 for x in candidates)


def _divisors(number: int) -> list[int]:
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def _expanded(node: Node) -> bool:
    if isinstance(node, Product) and len(node.factors) > 1 and any(isinstance(factor, Sum) for factor in node.factors):
        return False
    if isinstance(node, Power) and isinstance(node.base, Sum) and node.exponent != MINUS_ONE:
        return not isinstance(node.exponent, Number) or node.exponent.value.denominator != 1
    return all(_expanded(child) for child in children(node))
