"""Equations and inequalities between expressions: equal where they are the same up to a factor.

An equation is its left side minus its right one without denominator, up to a constant factor; an inequality up
to a positive one. Not covered: factors that vary (``x^2 = x`` is not ``x = 1``), systems as a whole.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from verifiers.math.canonical import Canonical
from verifiers.math.decision import Decision
from verifiers.math.grammar import expression
from verifiers.math.identity import proportional
from verifiers.math.node import Node, Sum, negative
from verifiers.math.polynomial import UNIT, Polynomial, TooMuch, content, divided, leading, scaled
from verifiers.math.ring import Undefined

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


def relation(text: str) -> Relation | None:
    """A text with just one relation sign between two expressions, else None."""
    found = pieces(text)
    if len(found) != 3:
        return None
    left, right = expression(found[0]), expression(found[2])
    return Relation(left, found[1], right) if left is not None and right is not None else None


def equivalent(answer: Relation, reference: Relation) -> Decision | None:
    canonical = Canonical()
    try:
        ours, theirs = _difference(canonical, answer), _difference(canonical, reference)
        if answer.operator in ("=", "!=") or reference.operator in ("=", "!="):
            if answer.operator != reference.operator:
                return Decision(False, "unequal_relation")
            found = proportional(ours, theirs, canonical)
        else:
            found = _same_side(ours, answer.operator, theirs, reference.operator)
    except (TooMuch, Undefined):
        return None
    if found is None:
        return None
    return Decision(found, "equal_relation" if found else "unequal_relation")


def _difference(canonical: Canonical, one: Relation) -> Polynomial:
    """Left minus right, the denominator multiplied away where it does not decide on the sign."""
    found = canonical.of(Sum((one.left, negative(one.right))))
    if one.operator not in ("=", "!=") and found.below.keys() != {UNIT}:
        raise TooMuch
    return scaled(found.above, -1) if found.below.get(UNIT, 1) < 0 else found.above


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
    one = divided(one, content(one))
    return (scaled(one, -1), FLIPPED[operator]) if one[leading(one)] < 0 else (one, operator)
