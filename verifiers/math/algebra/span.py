r"""Families of solutions in another basis: ``A\cosh x + B\sinh x`` is ``c_1e^x + c_2e^{-x}``.

``p + c_1 f + c_2 g`` is all that f and g span, moved by p. Two families are one where each function of the one is a
combination of the other's, with numbers that are simple, and so is the difference of what they are moved by. Not
covered: constants within functions (``A\cos(x + \phi)``).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from verifiers.math.algebra.identity import identical
from verifiers.math.algebra.node import (
    CONSTANTS,
    I,
    Node,
    Number,
    Product,
    Sum,
    Symbol,
    negative,
    replace_symbol,
    symbols,
)
from verifiers.math.algebra.probe import NoValue, evaluate

MOST = 3
_ZERO, _ONE = Number(Fraction(0)), Number(Fraction(1))
_LARGEST_DENOMINATOR = 24
_NEAR = 1e-7
_PLACES = (0.31, 0.83, 1.27)
Row = tuple[complex, ...]


class Span(NamedTuple):
    """``moved + sum of constants times functions``."""

    moved: Node
    functions: tuple[Node, ...]


def is_same_span(answer: Node, ours: Sequence[str], reference: Node, theirs: Sequence[str], *, surely: bool) -> bool:
    """Whether two families with these constants are one.

    Where each function is a multiple of one of the other's, the multiples have to be 1 and -1: the answer may be the
    reference's derivative. Constants that the question may have given (not ``surely``) are free only where no function
    is a multiple of the other's.
    """
    if not 1 < len(ours) == len(theirs) <= MOST:
        return False
    mine, other = _span(answer, ours), _span(reference, theirs)
    if mine is None or other is None:
        return False
    rows = [_combination(one, other.functions) for one in mine.functions]
    found = [row for row in rows if row is not None]
    if len(found) < len(rows) or _solve(found, [1.0] * len(found)) is None:
        return False
    single = [sum(map(bool, row)) == 1 for row in found]
    if not surely:
        moved = identical(mine.moved, other.moved)
        return not any(single) and moved is not None and moved.equal
    if all(single) and any(abs(sum(row)) != 1 for row in found):
        return False
    return _combination(Sum((mine.moved, negative(other.moved))), other.functions) is not None


def _span(node: Node, names: Sequence[str]) -> Span | None:
    """None where the constants are anything but factors of terms."""
    moved = _put(node, dict.fromkeys(names, _ZERO))
    rest = negative(moved)
    functions = tuple(Sum((_put(node, {**dict.fromkeys(names, _ZERO), name: _ONE}), rest)) for name in names)
    terms = [Product((Symbol(name), function)) for name, function in zip(names, functions, strict=True)]
    found = identical(node, Sum((moved, *terms)))
    return Span(moved, functions) if found is not None and found.equal else None


def _put(node: Node, values: dict[str, Number]) -> Node:
    for name, value in values.items():
        node = replace_symbol(node, name, value)
    return node


def _combination(target: Node, functions: Sequence[Node]) -> Row | None:
    """The numbers with which functions add up to another; None where there are none, or no simple ones."""
    every = (target, *functions)
    names = sorted(frozenset().union(*map(symbols, every)) - CONSTANTS)
    points = [{name: at + 0.17 * place for place, name in enumerate(names)} for at in _PLACES[: len(functions)]]
    try:
        values = [[complex(evaluate(one, point, complex)[0]) for one in every] for point in points]
    except (NoValue, OverflowError, ZeroDivisionError, ValueError):
        return None
    solved = _solve([row[1:] for row in values], [row[0] for row in values])
    simple = None if solved is None else [(_simple(one.real), _simple(one.imag)) for one in solved]
    if simple is None:
        return None
    numbers = [(real, turned) for real, turned in simple if real is not None and turned is not None]
    if len(numbers) < len(simple):
        return None
    factors = [
        Sum((Number(real), Product((Number(turned), I)))) if turned else Number(real) for real, turned in numbers
    ]
    terms = [Product(pair) for pair in zip(factors, functions, strict=True)]
    found = identical(target, Sum(tuple(terms)))
    if found is None or not found.equal:
        return None
    return tuple(complex(real, turned) for real, turned in numbers)


def _simple(number: float) -> Fraction | None:
    found = Fraction(number).limit_denominator(_LARGEST_DENOMINATOR)
    return found if abs(found - Fraction(number)) < _NEAR * max(1.0, abs(number)) else None


def _solve(rows: Sequence[Sequence[complex]], right: Sequence[complex]) -> list[complex] | None:
    """Of as many linear equations as unknowns; None where they are dependent."""
    left = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for place in range(len(left)):
        pivot = max(range(place, len(left)), key=lambda row: abs(left[row][place]))
        left[place], left[pivot] = left[pivot], left[place]
        first = left[place]
        if abs(first[place]) < _NEAR:
            return None
        for row in range(len(left)):
            if row != place:
                factor = left[row][place] / first[place]
                left[row] = [one - factor * other for one, other in zip(left[row], first, strict=True)]
    return [row[-1] / row[place] for place, row in enumerate(left)]
