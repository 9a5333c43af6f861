"""What an answer's parts are worth at points of its variables, and whether two answers are the same.

Floats at a dozen fixed points. Two answers are called different only where they differ at every point that has values.
"""

from __future__ import annotations

import cmath
import math
from enum import Enum
from itertools import product
from random import Random

from benchmarks.natural.read import Calls, read
from benchmarks.natural.tree import (
    Answer,
    Expr,
    Fn,
    Frac,
    Group,
    Item,
    Name,
    Num,
    Pow,
    Prod,
    Side,
    Sum,
    Union,
    Unread,
    children,
    leaves,
    names_of,
)

POINTS = 12
_NEAR = 1e-7
_CONSTANTS = {"\\pi": math.pi, "e": math.e, "i": 1j, "\\infty": 1e300}


class Same(Enum):
    YES = "the same at every point"
    NO = "different at every point"
    UNSURE = "neither"


class NoValue(ArithmeticError):
    """There is no value here."""


def compared(one: str, other: str) -> Same:
    """By both readings of a letter before a parenthesis. Raises :class:`Unread`."""
    found = {_compared(read(one, calls), read(other, calls)) for calls in (Calls.NEVER, Calls.ALWAYS)}
    return found.pop() if len(found) == 1 else Same.UNSURE


def _compared(one: Answer, other: Answer) -> Same:
    if len(one.items) != len(other.items):
        return Same.UNSURE
    points = _points(sorted(names_of(one) | names_of(other)))
    found = [_items(a, b, points) for a, b in zip(one.items, other.items, strict=True)]
    if all(each is Same.YES for each in found):
        return Same.YES if one.separators == other.separators else Same.UNSURE
    if Same.UNSURE in found:
        return Same.UNSURE
    # in another order they may be the same list
    again = all(any(_items(a, b, points) is not Same.NO for a in one.items) for b in other.items)
    return Same.UNSURE if again and len(one.items) > 1 else Same.NO


def _items(one: Item, other: Item, points: list[dict[str, complex]]) -> Same:
    if one.words != other.words or len(one.sides) != len(other.sides):
        return Same.UNSURE
    sides = [_sides(a, b, points) for a, b in zip(one.sides, other.sides, strict=True)]
    if one.relations != other.relations:
        return Same.NO if all(each is Same.YES for each in sides) else Same.UNSURE
    if all(each is Same.YES for each in sides):
        return Same.YES
    if Same.UNSURE in sides:
        return Same.UNSURE
    return Same.UNSURE if one.relations == ("=",) and _proportional(one, other, points) else Same.NO


def _proportional(one: Item, other: Item, points: list[dict[str, complex]]) -> bool:
    """Whether two equations have a fixed ratio of their differences: ``2x = 4`` and ``x = 2``."""
    ratios = []
    for point in points:
        try:
            gaps = [value(each.sides[0], point) - value(each.sides[1], point) for each in (one, other)]  # type: ignore[arg-type]
            ratios.append(gaps[0] / gaps[1])
        except (NoValue, ArithmeticError, ValueError, AttributeError, TypeError):
            continue
    return len(ratios) < 3 or all(_near(ratio, ratios[0]) for ratio in ratios)


def _sides(one: Side, other: Side, points: list[dict[str, complex]]) -> Same:
    if type(one) is not type(other) and (isinstance(one, Group | Union) or isinstance(other, Group | Union)):
        return Same.UNSURE
    mine, yours = leaves(one), leaves(other)
    if len(mine) != len(yours):
        return Same.UNSURE
    found = [_leaf(a, b, points) for a, b in zip(mine, yours, strict=True)]
    if Same.UNSURE in found:
        return Same.UNSURE
    if Same.NO in found:
        return Same.NO
    return Same.YES if _brackets(one) == _brackets(other) else Same.NO


def _brackets(side: Side) -> str:
    if isinstance(side, Group):
        return side.left + side.right
    return "".join(map(_brackets, side.groups)) if isinstance(side, Union) else ""


def _leaf(one: Expr, other: Expr, points: list[dict[str, complex]]) -> Same:
    equal = total = 0
    for point in points:
        signs = (1, -1) if _doubled(one) or _doubled(other) else (1,)
        try:
            ours = [value(one, point, sign) for sign in signs]
            theirs = [value(other, point, sign) for sign in signs]
        except (NoValue, ArithmeticError, ValueError):
            continue
        total += 1
        equal += any(_near(a, b) for a, b in product(ours, theirs)) if len(signs) > 1 else _near(ours[0], theirs[0])
    if total < 4:
        return Same.YES if one == other else Same.UNSURE
    return Same.YES if equal == total else (Same.NO if equal == 0 else Same.UNSURE)


def _doubled(node: Expr) -> bool:
    return (isinstance(node, Sum) and any(sign == 0 for sign, _ in node.terms)) or any(map(_doubled, children(node)))


def _near(one: complex, other: complex) -> bool:
    return abs(one - other) <= _NEAR * max(1e-6, abs(one), abs(other))


def _points(names: list[str]) -> list[dict[str, complex]]:
    dice = Random(7)
    found = []
    for turn in range(POINTS):
        found.append({name: complex(round(dice.uniform(0.2, 3.2), 6) * (-1 if turn % 3 == 2 else 1)) for name in names})
        found[-1] |= _CONSTANTS
    return found


def value(node: Expr, point: dict[str, complex], sign: int = 1) -> complex:
    """Raises :class:`NoValue` or what arithmetic raises; ``sign`` is that of every plus-minus."""
    if isinstance(node, Num):
        return complex(float(node.text))
    if isinstance(node, Name):
        return point[node.text]
    if isinstance(node, Sum):
        return sum(((each or sign) * value(term, point, sign) for each, term in node.terms), 0j)
    if isinstance(node, Prod):
        return math.prod((value(factor, point, sign) for factor in node.factors), start=1 + 0j)
    if isinstance(node, Frac):
        return value(node.above, point, sign) / value(node.below, point, sign)
    if isinstance(node, Pow):
        return _finite(value(node.base, point, sign) ** value(node.exponent, point, sign))
    return _finite(_function(node, [value(argument, point, sign) for argument in node.arguments]))


def _finite(found: complex) -> complex:
    if not cmath.isfinite(found):
        raise NoValue
    return found


def _function(node: Fn, values: list[complex]) -> complex:
    name, first = node.name, values[0]
    if name.startswith("call "):
        return cmath.sin(sum((3 + place) * each for place, each in enumerate(values)) + hash_of(name)) + 2
    if name == "sqrt":
        index = values[1].real if len(values) > 1 else 2
        if index % 2 and first.imag == 0 and first.real < 0:
            return complex(-(abs(first.real) ** (1 / index)))
        return complex(first ** (1 / index))
    if name == "abs":
        return complex(abs(first))
    if name == "degrees":
        return first * math.pi / 180
    if name == "factorial":
        if first.imag or first.real < 0 or first.real > 100:
            raise NoValue
        return complex(math.gamma(first.real + 1))
    if name == "log":
        return cmath.log(first) / cmath.log(values[1] if len(values) > 1 else 10)
    if name == "ln":
        return cmath.log(first)
    if name.startswith("arc"):
        return complex({"arcsin": cmath.asin, "arccos": cmath.acos, "arctan": cmath.atan}[name](first))
    if name in ("cot", "sec", "csc"):
        return 1 / {"cot": cmath.tan, "sec": cmath.cos, "csc": cmath.sin}[name](first)
    return complex(getattr(cmath, name)(first))


def hash_of(name: str) -> float:
    """The same in every process, other than Python's."""
    return sum(ord(character) * (place + 1) for place, character in enumerate(name)) % 97 / 7


__all__ = ["Same", "Unread", "compared", "value"]
