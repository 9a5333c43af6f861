r"""Families of curves of an arbitrary constant: ``y = Ce^x`` is ``\ln|y| = x + C``.

Each equation is solved for its constant. The two functions of the variables that this gives are constant on the same
curves where their gradients are parallel everywhere.
"""

from __future__ import annotations

import re

from verifiers.math.algebra.derivative import gradient, is_zero
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import (
    CONSTANTS,
    Call,
    E,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    children,
    inverse,
    negative,
    symbols,
)

_CONSTANT = re.compile(r"[Cc](?:_\{?\d\}?)?|K")
_GIVEN = "c"
"""May be a constant that the question names, where both sides have it."""
_VARIABLES = frozenset("rstuvwxyz")
_MOST_DEEP = 12
_INVERSES = {
    "sin": "arcsin", "cos": "arccos", "tan": "arctan", "arcsin": "sin", "arccos": "cos", "arctan": "tan",
    "sinh": "arsinh", "tanh": "artanh", "arsinh": "sinh",
}  # fmt: skip


def is_same_curves(answer: str, reference: str) -> bool:
    """Whether both are equations of one family of curves. False also where one is not solved here."""
    theirs = _solved(reference)
    ours = None if theirs is None else _solved(answer)
    if ours is None or theirs is None or ours[0] == theirs[0] == _GIVEN:
        return False
    if symbols(ours[1]) - CONSTANTS != symbols(theirs[1]) - CONSTANTS:
        return False
    mine, other = gradient(ours[1]), gradient(theirs[1])
    if mine is None or other is None or len(mine) != 2 or any(map(is_zero, (*mine, *other))):
        return False
    return is_zero(Sum((Product((mine[0], other[1])), negative(Product((mine[1], other[0]))))))


def _solved(text: str) -> tuple[str, Node] | None:
    """An equation's constant and what it is; None where there is none, or not one, or the equation is of it."""
    sides = text.split("=")
    if len(sides) != 2 or not _CONSTANT.search(text) or _CONSTANT.fullmatch(sides[0].strip()):
        return None
    left, right = map(expression, sides)
    if left is None or right is None:
        return None
    names = (symbols(left) | symbols(right)) - CONSTANTS
    arbitrary = [name for name in names if _CONSTANT.fullmatch(name)]
    if len(arbitrary) != 1 or not names - {*arbitrary} <= _VARIABLES:
        return None
    [name] = arbitrary
    if name in symbols(left):
        left, right = right, left
    found = None if name in symbols(left) else _peeled(right, name, left)
    return None if found is None else (name, found)


def _peeled(node: Node, name: str, value: Node, depth: int = 0) -> Node | None:
    """What the symbol is where the node is the value; None unless it occurs once, in what can be undone."""
    if isinstance(node, Symbol):
        return value
    having = [child for child in children(node) if name in symbols(child)]
    if len(having) != 1 or depth > _MOST_DEEP:
        return None
    [inner] = having
    undone = _undone(node, inner, value)
    return None if undone is None else _peeled(inner, name, undone, depth + 1)


def _undone(node: Node, inner: Node, value: Node) -> Node | None:
    if isinstance(node, Sum):
        return Sum((value, *(negative(term) for term in node.terms if term is not inner)))
    if isinstance(node, Product):
        return Product((value, *(inverse(factor) for factor in node.factors if factor is not inner)))
    if isinstance(node, Power) and inner is node.base:
        power = node.exponent
        return Power(value, Number(1 / power.value)) if isinstance(power, Number) and power.value else None
    if isinstance(node, Power):
        return Product((Call("ln", (Call("abs", (value,)),)), inverse(Call("ln", (node.base,)))))
    if isinstance(node, Call) and node.name == "abs":
        return value
    if isinstance(node, Call) and node.name == "ln":
        return Power(E, value)
    if isinstance(node, Call) and node.name in _INVERSES:
        return Call(_INVERSES[node.name], (value,))
    return None
