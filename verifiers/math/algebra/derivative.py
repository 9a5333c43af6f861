"""Derivatives of expressions, and what they prove: a function whose derivatives all vanish is constant.

That decides equalities which no canonical form does, as those between logarithms of absolute values, inverse functions
and powers of sines: each is gone after a derivative or two.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.node import (
    CONSTANTS,
    MINUS_ONE,
    Call,
    I,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    children,
    count_nodes,
    fold_numbers,
    inverse,
    negative,
    replace_symbol,
    symbols,
)
from verifiers.math.algebra.polynomial import TooMuch
from verifiers.math.algebra.ring import Undefined

MOST_NODES = 150
"""Of an expression that is derived."""
MOST_VARIABLES = 3

_ZERO, _ONE, _TWO = (Number(Fraction(number)) for number in range(3))
_HALF = Number(Fraction(1, 2))
_TRIED = tuple(Fraction(number) for number in ("1", "0", "2", "3", "1/2", "-1", "-2", "5"))
"""Where a constant is asked for its value."""


def is_constant(function: Node) -> bool:
    """Whether the derivative by each variable vanishes. False says nothing: it may not have been found."""
    slopes = gradient(function)
    return slopes is not None and all(map(is_zero, slopes))


def gradient(function: Node) -> list[Node] | None:
    """The derivative by each variable, in the order of their names; None where one is not known, or of what is long,
    complex or in many variables."""
    names = sorted(symbols(function) - CONSTANTS)
    if len(names) > MOST_VARIABLES or I.name in symbols(function) or count_nodes(function) > MOST_NODES:
        return None
    slopes = [derivative(function, name) for name in names]
    known = [slope for slope in slopes if slope is not None]
    return known if len(known) == len(slopes) else None


def vanishes_somewhere(function: Node) -> bool:
    """Whether it is exactly 0 at one of a few points. False says nothing."""
    names = sorted(symbols(function) - CONSTANTS)
    for first in range(len(_TRIED)):
        node = function
        for place, name in enumerate(names):
            node = replace_symbol(node, name, Number(_TRIED[(first + place) % len(_TRIED)]))
        if is_zero(node):
            return True
    return False


def derivative(node: Node, name: str) -> Node | None:
    """By a variable, not simplified; None where a function in it has none that is known here."""
    if name not in symbols(node):
        return _ZERO
    if isinstance(node, Symbol):
        return _ONE
    if isinstance(node, Call):
        return _of_call(node, name)
    if isinstance(node, Power):
        return _of_power(node, name)
    slopes = [derivative(part, name) for part in children(node)]
    known = [slope for slope in slopes if slope is not None]
    if len(known) < len(slopes):
        return None
    if isinstance(node, Sum):
        return Sum(tuple(known))
    parts = children(node)
    terms = [Product((slope, *parts[:at], *parts[at + 1 :])) for at, slope in enumerate(known) if slope != _ZERO]
    return Sum(tuple(terms)) if terms else _ZERO


def _of_power(node: Power, name: str) -> Node | None:
    base, exponent = derivative(node.base, name), derivative(node.exponent, name)
    if base is None or exponent is None:
        return None
    if exponent == _ZERO:
        power = fold_numbers(node.exponent)
        less = Number(power.value - 1) if isinstance(power, Number) else Sum((power, MINUS_ONE))
        return Product((power, Power(node.base, less), base))
    grown = Product((exponent, Call("ln", (node.base,))))
    if base == _ZERO:
        return Product((node, grown))
    return Product((node, Sum((grown, Product((node.exponent, base, inverse(node.base)))))))


def _of_call(node: Call, name: str) -> Node | None:
    slope = _SLOPES.get(node.name)
    inner = derivative(node.arguments[0], name)
    if slope is None or inner is None or len(node.arguments) != 1:
        return None
    return Product((slope(node.arguments[0]), inner))


def _call(name: str) -> Callable[[Node], Node]:
    return lambda x: Call(name, (x,))


def _square(node: Node) -> Node:
    return Power(node, _TWO)


def _root_of(node: Node) -> Node:
    return Power(node, _HALF)


def _logarithmic(base: int) -> Callable[[Node], Node]:
    return lambda x: inverse(Product((x, Call("ln", (Number(Fraction(base)),)))))


_sin, _cos, _tan, _sinh, _cosh, _abs = map(_call, ("sin", "cos", "tan", "sinh", "cosh", "abs"))
_SLOPES: dict[str, Callable[[Node], Node]] = {
    "sin": _cos,
    "cos": lambda x: negative(_sin(x)),
    "tan": lambda x: inverse(_square(_cos(x))),
    "cot": lambda x: negative(inverse(_square(_sin(x)))),
    "sec": lambda x: Product((_sin(x), inverse(_square(_cos(x))))),
    "csc": lambda x: negative(Product((_cos(x), inverse(_square(_sin(x)))))),
    "sinh": _cosh,
    "cosh": _sinh,
    "tanh": lambda x: inverse(_square(_cosh(x))),
    "coth": lambda x: negative(inverse(_square(_sinh(x)))),
    "ln": inverse,
    "lg": _logarithmic(10),
    "log": _logarithmic(10),
    "arcsin": lambda x: inverse(_root_of(Sum((_ONE, negative(_square(x)))))),
    "arccos": lambda x: negative(inverse(_root_of(Sum((_ONE, negative(_square(x))))))),
    "arctan": lambda x: inverse(Sum((_ONE, _square(x)))),
    "arccot": lambda x: negative(inverse(Sum((_ONE, _square(x))))),
    "arcsec": lambda x: inverse(Product((_abs(x), _root_of(Sum((_square(x), MINUS_ONE)))))),
    "arccsc": lambda x: negative(inverse(Product((_abs(x), _root_of(Sum((_square(x), MINUS_ONE))))))),
    "arsinh": lambda x: inverse(_root_of(Sum((_square(x), _ONE)))),
    "arcosh": lambda x: inverse(_root_of(Sum((_square(x), MINUS_ONE)))),
    "artanh": lambda x: inverse(Sum((_ONE, negative(_square(x))))),
    "abs": lambda x: Product((_abs(x), inverse(x))),
}
"""The derivative of each function of one real variable, where it has one."""


def is_zero(node: Node) -> bool:
    """Whether its canonical form is 0. False says nothing."""
    try:
        return not Canonical().of(node).above
    except (TooMuch, Undefined):
        return False
