"""The syntax tree of an expression: immutable, small, six kinds of node.

A difference is a sum with a factor -1, a quotient a product with a power -1, a root a power with a fraction as
exponent. Everything else is a :class:`Call`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    r"""A variable or a constant: ``x``, ``a_1``, ``\alpha``; :data:`CONSTANTS` have a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum:
    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product:
    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Power:
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A named function of its arguments: ``sin``, ``ln``, ``abs``, ``factorial``, ..."""

    name: str
    arguments: tuple[Node, ...]


Node = Number | Symbol | Sum | Product | Power | Call

PI = Symbol("\\pi")
E = Symbol("e")
I = Symbol("i")  # noqa: E741 - the imaginary unit has one name
CONSTANTS = frozenset((PI.name, E.name, I.name))

APPLIED = "f:"
"""Before the name of a function that only the text knows, as that of a :class:`Call`."""

DEGREE = Product((PI, Number(Fraction(1, 180))))
MINUS_ONE = Number(Fraction(-1))


def negative(node: Node) -> Node:
    return Number(-node.value) if isinstance(node, Number) else Product((MINUS_ONE, node))


def inverse(node: Node) -> Node:
    return Power(node, MINUS_ONE)


def children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sum):
        return node.terms
    if isinstance(node, Product):
        return node.factors
    if isinstance(node, Power):
        return node.base, node.exponent
    return node.arguments if isinstance(node, Call) else ()


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in no particular order."""
    open_nodes = [node]
    while open_nodes:
        one = open_nodes.pop()
        yield one
        open_nodes.extend(children(one))


def count_nodes(node: Node) -> int:
    return sum(1 for _ in walk(node))


def symbols(node: Node) -> frozenset[str]:
    """The names in an expression, constants included."""
    return frozenset(one.name for one in walk(node) if isinstance(one, Symbol))


def fold_numbers(node: Node) -> Node:
    """A number where the node is a quotient or product of numbers (``1/3``, ``-2``), else the node itself."""
    if isinstance(node, Product):
        total = Fraction(1)
        for factor in node.factors:
            part = fold_numbers(factor)
            if not isinstance(part, Number):
                return node
            total *= part.value
        return Number(total)
    if isinstance(node, Power) and node.exponent == MINUS_ONE:
        base = fold_numbers(node.base)
        return Number(1 / base.value) if isinstance(base, Number) and base.value else node
    return node


def replace_symbol(node: Node, name: str, by: Node) -> Node:
    """The tree with a symbol replaced."""
    if isinstance(node, Symbol):
        return by if node.name == name else node
    if isinstance(node, Sum):
        return Sum(tuple(replace_symbol(term, name, by) for term in node.terms))
    if isinstance(node, Product):
        return Product(tuple(replace_symbol(factor, name, by) for factor in node.factors))
    if isinstance(node, Power):
        return Power(replace_symbol(node.base, name, by), replace_symbol(node.exponent, name, by))
    if isinstance(node, Call):
        return Call(node.name, tuple(replace_symbol(argument, name, by) for argument in node.arguments))
    return node
