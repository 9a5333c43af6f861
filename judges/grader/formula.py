"""``calculate_output``: arithmetic over the rewards of named graders, read once and never run as code.

Operators ``+ - * / ^`` (``**`` means the same), functions ``min max abs floor ceil exp sqrt log``, parentheses and
numbers. All numbers are doubles. Bounded in length and depth.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

LONGEST, DEEPEST = 1000, 100

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: math.pow,
}
_OF_SEVERAL: dict[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max}
_OF_ONE: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "log": math.log,
}
FUNCTIONS = (*_OF_SEVERAL, *_OF_ONE)
Meaning = Callable[[Mapping[str, float]], float]


class Undefined(ArithmeticError):
    """The formula has no finite value for these rewards."""


@dataclass(frozen=True, slots=True)
class Formula:
    names: frozenset[str]
    _meaning: Meaning

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises ValueError with what is wrong."""
        if len(text) > LONGEST:
            raise ValueError(f"a formula has at most {LONGEST} characters")
        names: set[str] = set()
        try:
            tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
            meaning = _meaning(tree.body, names, DEEPEST)
        except (SyntaxError, RecursionError, MemoryError) as wrong:
            raise ValueError(f"{text[:100]!r} is no formula") from wrong
        return cls(frozenset(names), meaning)

    def value(self, rewards: Mapping[str, float]) -> float:
        """Raises :class:`Undefined`: a division by zero, a root of a negative number, an overflow."""
        try:
            found = float(self._meaning(rewards))
        except (ArithmeticError, ValueError) as wrong:
            raise Undefined(f"the formula has no value for these rewards: {wrong}") from wrong
        if not math.isfinite(found):
            raise Undefined("the formula's value is not finite")
        return found


def _meaning(node: ast.expr, names: set[str], depth: int) -> Meaning:
    """What a node says, as a function; names that it uses are added."""
    if depth == 0:
        raise ValueError(f"a formula is nested at most {DEEPEST} deep")
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            number = _number(value)
            return lambda rewards: number
        case ast.Name(id=name):
            names.add(name)
            return lambda rewards: rewards[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            inner = _meaning(operand, names, depth - 1)
            return (lambda rewards: -inner(rewards)) if isinstance(sign, ast.USub) else inner
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            one, other = _meaning(left, names, depth - 1), _meaning(right, names, depth - 1)
            combine = _OPERATORS[type(sign)]
            return lambda rewards: combine(one(rewards), other(rewards))
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in FUNCTIONS:
            arguments = [_meaning(one, names, depth - 1) for one in given]
            return _call(name, arguments)
    raise ValueError(f"a formula has + - * / ^, {', '.join(FUNCTIONS)}, numbers and the graders' names")


def _call(name: str, arguments: Sequence[Meaning]) -> Meaning:
    if name in _OF_SEVERAL and arguments:
        several = _OF_SEVERAL[name]
        return lambda rewards: several([one(rewards) for one in arguments])
    if name in _OF_ONE and len(arguments) == 1:
        function, [inner] = _OF_ONE[name], arguments
        return lambda rewards: float(function(inner(rewards)))
    raise ValueError(f"{name} takes {'numbers' if name in _OF_SEVERAL else 'one number'}")


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError("a number is beyond the range of a double") from None
