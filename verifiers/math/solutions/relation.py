"""Equations and inequalities between expressions: equal where they are the same up to a factor.

An equation is its left side minus its right one without denominator, up to a constant factor; an inequality up
to a positive one. Not covered: factors that vary (``x^2 = x`` is not ``x = 1``), systems as a whole.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.identity import identical, proportional
from verifiers.math.algebra.node import CONSTANTS, Node, Number, Product, Sum, negative, replace_symbol, symbols
from verifiers.math.algebra.polynomial import UNIT, Polynomial, TooMuch, content, divide_by, leading, scale_by
from verifiers.math.algebra.probe import differ, points
from verifiers.math.algebra.ring import Undefined

OPERATORS = {
    "<": "<", ">": ">", "\\lt": "<", "\\gt": ">", "=": "=", "<=": "<=", ">=": ">=", "\\le": "<=", "\\ge": ">=",
    "\\leq": "<=", "\\geq": ">=", "\\leqslant": "<=", "\\geqslant": ">=", "\\leqq": "<=", "\\geqq": ">=",
    "\\ne": "!=", "\\neq": "!=", "!=": "!=", "=<": "<=", "=>": ">=", "\\not=": "!=", "==": "=", "\\equiv": "=",
}  # fmt: skip
OPERATOR = re.compile(
    r"(\\(?:leqslant|geqslant|leqq|geqq|leq|geq|neq|equiv|le|ge|ne|lt|gt)(?![A-Za-z])|\\not\s?=|[<>!=]=|=[<>]|[<>=])"
)
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


class Relation(NamedTuple):
    """``left operator right``; the operator is one of ``= != < > <= >=``."""

    left: Node
    operator: str
    right: Node


def pieces(text: str) -> list[str]:
    """Sides and operators in turn."""
    found = [piece.strip() for piece in OPERATOR.split(text)]
    return [OPERATORS[piece.replace(" ", "")] if place % 2 else piece for place, piece in enumerate(found)]


def relation(text: str, functions: frozenset[str] = frozenset()) -> Relation | None:
    """A text with just one relation sign between two expressions, else None; ``functions`` as in ``expression``."""
    found = pieces(text)
    if len(found) != 3:
        return None
    left, right = expression(found[0], functions), expression(found[2], functions)
    return Relation(left, found[1], right) if left is not None and right is not None else None


def equivalent(answer: Relation, reference: Relation) -> Decision | None:
    canonical = Canonical()
    try:
        ours, theirs = _difference(canonical, answer), _difference(canonical, reference)
        if answer.operator in ("=", "!=") or reference.operator in ("=", "!="):
            if answer.operator != reference.operator:
                return Decision(False, "unequal_relation")
            if (not ours and not theirs) or not _vary(answer, reference):
                return _same_sides(answer, reference)
            found = proportional(ours, theirs, canonical)
        elif not _vary(answer, reference):
            return _same_sides(answer, reference)
        else:
            found = _same_side(ours, answer.operator, theirs, reference.operator)
    except (TooMuch, Undefined):
        return _refuted(answer, reference)
    if found is None:
        return _refuted(answer, reference)
    # a proof that takes variables as positive is none of |x| = |y| beside x = y
    if found and not canonical.ring.exact and (refuted := _refuted(answer, reference)) is not None:
        return refuted
    return Decision(found, "equal_relation" if found else "unequal_relation")


def same_chain(answer: str, reference: str) -> Decision | None:
    """Of two chains of inequalities in several variables, from either end (``a < b < c``); None where one is none."""
    ours, theirs = _rising(answer), _rising(reference)
    if ours is None or theirs is None:
        return None
    if ours[1] != theirs[1]:
        return Decision(False, "unequal_relation")
    found = [identical(one, other) for one, other in zip(ours[0], theirs[0], strict=True)]
    if any(one is not None and not one.equal for one in found):
        return Decision(False, "unequal_relation")
    return None if None in found else Decision(True, "equal_relation")


def _rising(text: str) -> tuple[list[Node], list[str]] | None:
    """The sides of a chain that rises, and its signs."""
    found = pieces(text)
    sides, signs = [expression(side) for side in found[::2]], found[1::2]
    if not 2 <= len(signs) <= MOST_SIGNS or not (set(signs) <= {"<", "<="} or set(signs) <= {">", ">="}):
        return None
    read = [side for side in sides if side is not None]
    if len(read) < len(sides):
        return None
    return (read, signs) if signs[0][0] == "<" else (read[::-1], [FLIPPED[sign] for sign in signs[::-1]])


MOST_SIGNS = 8


def _same_sides(answer: Relation, reference: Relation) -> Decision | None:
    """Of two identities or relations of numbers, which say nothing of a value: each side is that of the other."""
    found: list[Decision | None] = []
    turned = FLIPPED[reference.operator] == answer.operator
    sides = [(reference.left, reference.right)] if reference.operator == answer.operator else []
    for left, right in [*sides, *([(reference.right, reference.left)] if turned else [])]:
        both = identical(answer.left, left), identical(answer.right, right)
        if all(one is not None and one.equal for one in both):
            return Decision(True, "equal_relation")
        found += [next((one for one in both if one is not None and not one.equal), None)]
    return None if None in found else Decision(False, "unequal_relation")


def _vary(*relations: Relation) -> bool:
    return any((symbols(one.left) | symbols(one.right)) - CONSTANTS for one in relations)


def _refuted(answer: Relation, reference: Relation) -> Decision | None:
    """Unequal where the differences of their sides have no fixed ratio at the probes; else nothing is known."""
    if FLIPPED[answer.operator] != reference.operator and answer.operator != reference.operator:
        return Decision(False, "unequal_relation")
    ours, theirs = (Sum((one.left, negative(one.right))) for one in (answer, reference))
    names = sorted((symbols(ours) | symbols(theirs)) - CONSTANTS)
    if not names:
        return None
    where = points(names)
    base = where[0]
    here = [_at(one, base) for one in (ours, theirs)]
    for point in where[1:]:
        there = [_at(one, point) for one in (ours, theirs)]
        if differ(Product((here[0], there[1])), Product((here[1], there[0])), [{}]) is not None:
            return Decision(False, "unequal_relation")
    return None


def _at(node: Node, point: dict[str, float]) -> Node:
    for name, value in point.items():
        node = replace_symbol(node, name, Number(Fraction(value)))
    return node


def _difference(canonical: Canonical, one: Relation) -> Polynomial:
    """Left minus right, the denominator multiplied away where it does not decide on the sign."""
    found = canonical.of(Sum((one.left, negative(one.right))))
    if one.operator not in ("=", "!=") and found.below.keys() != {UNIT}:
        raise TooMuch
    return scale_by(found.above, -1) if found.below.get(UNIT, 1) < 0 else found.above


def _same_side(ours: Polynomial, our_operator: str, theirs: Polynomial, their_operator: str) -> bool | None:
    if not ours or not theirs:
        return None
    ours, our_operator = _pointed(ours, our_operator)
    theirs, their_operator = _pointed(theirs, their_operator)
    if ours == theirs:
        return our_operator == their_operator
    rational = all(name[0].isalpha() for one in (ours, theirs) for monomial in one for name, _ in monomial)
    return False if rational else None


def _pointed(one: Polynomial, operator: str) -> tuple[Polynomial, str]:
    """Primitive, the leading coefficient positive, the operator turned with it."""
    one = divide_by(one, content(one))
    return (scale_by(one, -1), FLIPPED[operator]) if one[leading(one)] < 0 else (one, operator)
