"""The canonical writing of an expression, and its bound on how deep one may be nested."""

from __future__ import annotations

import pytest

from verifiers.math.algebra.grammar import DEEPEST
from verifiers.math.algebra.node import Call, Node, Sum, Symbol
from verifiers.math.algebra.shape import TooDeep, shape


def nested(times: int) -> Node:
    node: Node = Symbol("x")
    for _ in range(times):
        node = Call("sin", (node,))
    return node


def test_what_is_nested_beyond_the_bound_is_refused_wherever_it_stands() -> None:
    before = tuple(Call("cos", (Symbol(name),)) for name in "abcdefghij" * 10)
    for node in (nested(DEEPEST + 1), Sum((*before, nested(DEEPEST + 1)))):
        with pytest.raises(TooDeep):
            shape(node, merged=False)


def test_terms_side_by_side_are_not_nested() -> None:
    terms = tuple(Call("sin", (Symbol(f"x{number}"),)) for number in range(2 * DEEPEST))
    assert shape(Sum(terms), merged=False) == shape(Sum(terms[::-1]), merged=False)
