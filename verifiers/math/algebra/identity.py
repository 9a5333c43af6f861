"""Whether two expressions are the same function: numbers refute, canonical forms prove.

None where neither tells: equal at every probe, as far as rounding lets see, and no proof.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.derivative import gradient, is_constant, is_zero, vanishes_somewhere
from verifiers.math.algebra.node import (
    CONSTANTS,
    Call,
    Node,
    Number,
    Power,
    Product,
    Sum,
    negative,
    replace_symbol,
    symbols,
    walk,
)
from verifiers.math.algebra.polynomial import Monomial, Polynomial, TooMuch, leading
from verifiers.math.algebra.probe import differ, points
from verifiers.math.algebra.ring import IMAGINARY, PRIME, Quotient, Undefined

_LOGARITHM = re.compile(r"@ln\(\d+\)")


def identical(answer: Node, reference: Node) -> Decision | None:
    """Of two expressions without relations; ``log`` is natural where the other side writes ``ln``."""
    ours, theirs = _calls(answer), _calls(reference)
    if "log" in ours ^ theirs and "ln" in ours ^ theirs:
        answer, reference = _natural(answer), _natural(reference)
    names = sorted((symbols(answer) | symbols(reference)) - CONSTANTS)
    first, *rest = points(names)
    witness = differ(answer, reference, [first])
    found, final = (None, False) if witness else _canonical(answer, reference)
    if final:
        return found
    witness = witness or differ(answer, reference, rest)
    if witness:
        return Decision(False, "unequal_numeric", witness)
    if found is None and names:
        gap = Sum((answer, negative(reference)))
        return Decision(True, "equal_canonical") if is_constant(gap) and vanishes_somewhere(gap) else None
    return found


FREE_CONSTANTS = ("C", "c", "K")


def parallel(answer: Node, reference: Node) -> Decision | None:
    """Whether two functions differ by a constant, as antiderivatives of one function do; ``+ C`` is no part of them."""
    for name in FREE_CONSTANTS:
        answer, reference = (replace_symbol(node, name, Number(Fraction(0))) for node in (answer, reference))
    gap: Node = Sum((answer, negative(reference)))
    names = sorted(symbols(gap) - CONSTANTS)
    if not names:
        return Decision(True, "equal_up_to_constant")
    slopes = gradient(gap)
    if slopes is None:
        refuted = any(_moves(gap, one, other) for one, other in _neighbours(points(names)))
    else:
        refuted = any(differ(slope, Number(Fraction(0)), points(names)) is not None for slope in slopes)
    if refuted:
        return Decision(False, "unequal_numeric")
    if slopes is not None and all(map(is_zero, slopes)):
        return Decision(True, "equal_up_to_constant")
    canonical = Canonical()
    try:
        found = canonical.of(gap)
        if not found.above or proportional(found.above, found.below, canonical):
            return Decision(True, "equal_up_to_constant")
    except (TooMuch, Undefined):
        pass
    return None


def _neighbours(where: list[dict[str, float]]) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Points next to each other with the same signs: between others a constant may jump."""
    signs = [[value > 0 for value in point.values()] for point in where]
    return [(where[at - 1], where[at]) for at in range(1, len(where)) if signs[at - 1] == signs[at]]


def _moves(gap: Node, one: dict[str, float], other: dict[str, float]) -> bool:
    here, there = gap, gap
    for name in one:
        here = replace_symbol(here, name, Number(Fraction(one[name])))
        there = replace_symbol(there, name, Number(Fraction(other[name])))
    return differ(here, there, [{}]) is not None


def _canonical(answer: Node, reference: Node) -> tuple[Decision | None, bool]:
    """And whether that is final: equality that takes variables as positive needs agreeing probes too."""
    canonical = Canonical()
    try:
        gap = canonical.ring.difference(canonical.of(answer), canonical.of(reference))
    except (TooMuch, Undefined):
        return None, False
    exact = canonical.ring.exact
    if not gap:
        return Decision(True, "equal_canonical"), exact
    both = {"\\pi", "e"} <= symbols(answer) | symbols(reference)
    return (Decision(False, "unequal_canonical"), True) if exact and not both else (None, False)


def proportional(one: Polynomial, other: Polynomial, canonical: Canonical) -> bool | None:
    """Whether a constant factor other than zero apart; None where no proof either way was found."""
    if not one or not other:
        return bool(one) == bool(other)
    ours, theirs = _by_variables(one), _by_variables(other)
    if ours.keys() != theirs.keys():
        return False if canonical.ring.exact else None
    pivot = leading(one)
    variables = _variables(pivot)
    product = canonical.ring.product
    gap = canonical.ring.difference(
        Quotient(product(ours[variables], other), {(): 1}), Quotient(product(theirs[variables], one), {(): 1})
    )
    return True if not gap else (False if canonical.ring.exact else None)


def _by_variables(one: Polynomial) -> dict[Monomial, Polynomial]:
    """The coefficients, constants all, by the part of the monomials that varies."""
    found: dict[Monomial, Polynomial] = {}
    for monomial, coefficient in one.items():
        variables = _variables(monomial)
        fixed = tuple(pair for pair in monomial if pair not in variables)
        found.setdefault(variables, {})[fixed] = coefficient
    return found


def _variables(monomial: Monomial) -> Monomial:
    return tuple(pair for pair in monomial if not _is_constant(pair[0]))


def _is_constant(name: str) -> bool:
    return name in CONSTANTS or name[0] in (PRIME, IMAGINARY) or _LOGARITHM.fullmatch(name) is not None


def _calls(node: Node) -> frozenset[str]:
    return frozenset(one.name for one in walk(node) if isinstance(one, Call))


def _natural(node: Node) -> Node:
    if isinstance(node, Sum):
        return Sum(tuple(map(_natural, node.terms)))
    if isinstance(node, Product):
        return Product(tuple(map(_natural, node.factors)))
    if isinstance(node, Power):
        return Power(_natural(node.base), _natural(node.exponent))
    if isinstance(node, Call):
        return Call("ln" if node.name == "log" else node.name, tuple(map(_natural, node.arguments)))
    return node
