r"""Letters with an index in sums and products: the :math:`x_i` of ``\sum_{i=1}^n x_i`` are n numbers, not one.

The algebra system reads ``x_i`` as one letter, which it would take out of the sum: ``n x_i``. Here it is a function of
its index, whose values are unrelated numbers. An index is a letter, a number, a sum of two (``x_{n-1}``) or two letters
(``a_{ij}``). Runs in workers only.
"""

from __future__ import annotations

import re

import sympy
from sympy.core.function import AppliedUndef

_LETTER = re.compile(r"(?P<name>[A-Za-z]{1,8})_\{?(?P<index>[a-z\d][a-z\d,+-]{0,6})\}?")
_INDEX = re.compile(
    r"(?P<times>\d{0,2})(?P<letter>[a-z])(?:(?P<sign>[+-])(?P<other>\d{1,3}|[a-z]))?|(?P<number>\d{1,4})"
)
_SUMS = (sympy.Sum, sympy.Product)
_MARK = "_of"
MOST_TERMS = 300
_VARYING = 6
"""Terms up to an end that is an index."""


def with_indices(*expressions: sympy.Basic) -> tuple[sympy.Basic, ...]:
    """The expressions with letters as functions of their indices, where a sum or product is among them."""
    if not any(one.has(*_SUMS) for one in expressions):
        return expressions
    return tuple(one.xreplace({symbol: _applied(symbol) for symbol in one.atoms(sympy.Symbol)}) for one in expressions)


def is_indexed(expression: sympy.Basic) -> bool:
    return any(_is_ours(one) for one in expression.atoms(AppliedUndef))


def is_long(expression: sympy.Basic) -> bool:
    """Whether the sums and products have too many terms to write out. An end that varies is at most an index."""
    terms = 1
    for node in expression.atoms(*_SUMS):
        for limit in node.limits:
            for end in limit[1:]:
                parts = end.args if isinstance(end, sympy.Add) else (end,)
                if not all(isinstance(part, (sympy.Symbol, sympy.Integer)) for part in parts):
                    return True
                terms *= max(1, abs(int(end))) if isinstance(end, sympy.Integer) else _VARYING
    return terms > MOST_TERMS


def with_values(expression: sympy.Basic) -> sympy.Basic:
    """With an unrelated number for each letter whose index is a number."""
    known = [one for one in expression.atoms(AppliedUndef) if _is_ours(one)]
    return expression.xreplace(
        {one: _value(one) for one in known if all(isinstance(index, sympy.Integer) for index in one.args)}
    )


def _is_ours(one: AppliedUndef) -> bool:
    return type(one).__name__.endswith(_MARK)


def _value(one: AppliedUndef) -> sympy.Rational:
    seed = sum(ord(letter) for letter in type(one).__name__)
    for place, index in enumerate(one.args, 2):
        seed = (seed * 31 + int(index) * 17 * place + 7) % 10_007
    return sympy.Rational(seed % 97 + 3, 13 + place)


def _applied(symbol: sympy.Symbol) -> sympy.Basic:
    found = _LETTER.fullmatch(symbol.name)
    indices = None if found is None else _indices(found["index"])
    return symbol if found is None or indices is None else sympy.Function(found["name"] + _MARK, real=True)(*indices)


def _indices(text: str) -> list[sympy.Expr] | None:
    parts = text.split(",") if "," in text else list(text) if re.fullmatch("[a-z]{2}", text) else [text]
    found = [_INDEX.fullmatch(part) for part in parts]
    return None if None in found else [_index(one) for one in found if one is not None]


def _index(found: re.Match[str]) -> sympy.Expr:
    if found["number"]:
        return sympy.Integer(found["number"])
    letter = sympy.Integer(found["times"] or 1) * sympy.Symbol(found["letter"], real=True)
    if not found["sign"]:
        return letter
    other = found["other"]
    more = sympy.Integer(other) if other.isdigit() else sympy.Symbol(other, real=True)
    return letter + more if found["sign"] == "+" else letter - more
