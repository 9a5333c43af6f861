"""Arbitrary constants: ``A e^x + B e^{-x}`` is ``c_1 e^x - c_2 e^{-x}``, and ``x^2 + C`` is ``x^2 - 2k``.

Two families of functions are one where another name, another order or the other sign of their constants makes one of
the other. Where a constant is added to the rest, it takes up any number that multiplies it or is added to it: the rest
may differ by a constant, as antiderivatives of one function do.

A name is free only in a family of functions: beside the constants there is a variable, and no capital letter, which
names a point, a set or an option. So ``C`` is no other letter, and ``AC`` is not ``AB``. A small ``c`` alone has its
sign: it may be a number that the question gives.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import permutations, product

from verifiers.math.algebra.identity import identical, parallel
from verifiers.math.algebra.node import (
    CONSTANTS,
    Node,
    Number,
    Product,
    Sum,
    Symbol,
    fold_numbers,
    negative,
    replace_symbol,
    symbols,
)
from verifiers.math.algebra.span import is_same_span

MOST = 3
_ARBITRARY = re.compile(r"[cC]_?\d?|K|[ABD]_?\d?|k_?\d|a_[12]")
_SURELY = re.compile(r"[cC]_?\d?|K")
_ADDED = re.compile(r"[cC]_?\d?|[Kk]")
_SIGNED = re.compile(r"C_?\d?|c_?\d")
_VARIABLES = frozenset("nrstuvwxyz") | {"\\theta", "\\phi", "\\rho", "theta", "phi", "rho"}
_COEFFICIENTS = frozenset("ab")
"""Beside them a ``c`` is the third of them."""


def is_same_family(answer: Node, reference: Node) -> bool | None:
    """Whether the answer is the reference but for the names and signs of its constants, or for what one takes up.

    None where it is not told whether what one would take up is a constant.
    """
    if _is_in_another_basis(answer, reference):
        return True
    found = _matched(answer, reference)
    if found is None:
        return False
    rests = _without_added(answer, reference, *found)
    told = None if rests is None else parallel(*rests)
    if (told is not None and told.equal) or _is_renamed(answer, reference, *found):
        return True
    return None if rests is not None and told is None else False


def without_added(answer: Node, reference: Node) -> tuple[Node, Node] | None:
    """``F(x)`` and ``G(x)`` of ``F(x) + C`` and ``G(x) - 2C``, one of which is a capital letter; None of others."""
    found = _matched(answer, reference)
    return None if found is None else _without_added(answer, reference, *found)


def _without_added(answer: Node, reference: Node, mine: list[str], other: list[str]) -> tuple[Node, Node] | None:
    if len(mine) != 1 or not (_ADDED.fullmatch(mine[0]) and _ADDED.fullmatch(other[0])):
        return None
    if not (mine[0][0].isupper() or other[0][0].isupper()):
        return None
    if not (_is_added(answer, mine[0]) and _is_added(reference, other[0])):
        return None
    zero = Number(Fraction(0))
    return replace_symbol(answer, mine[0], zero), replace_symbol(reference, other[0], zero)


def _matched(answer: Node, reference: Node) -> tuple[list[str], list[str]] | None:
    """The constants of both, as many, beside the same variables; None where there are no such."""
    ours, theirs = symbols(answer) - CONSTANTS, symbols(reference) - CONSTANTS
    mine, other = _constants(ours, theirs), _constants(theirs, ours)
    if not _are_beside_variables(ours, mine, theirs, other):
        return None
    return (mine, other) if _are_sure(mine) or _are_sure(other) else None


def _are_sure(names: list[str]) -> bool:
    return all(map(_SURELY.fullmatch, names))


def _are_beside_variables(ours: frozenset[str], mine: list[str], theirs: frozenset[str], other: list[str]) -> bool:
    """Whether two sides have as many constants, and apart from them the same variables."""
    shared = (ours & theirs) - {*mine, *other}
    if not 0 < len(mine) == len(other) <= MOST or ours - {*mine} != shared or theirs - {*other} != shared:
        return False
    if not shared & _VARIABLES or any(name[0].isupper() for name in shared):
        return False
    return "c" not in {*mine, *other} or not shared & _COEFFICIENTS


def _is_in_another_basis(answer: Node, reference: Node) -> bool:
    ours, theirs = symbols(answer) - CONSTANTS, symbols(reference) - CONSTANTS
    mine, other = (sorted(name for name in names if _ARBITRARY.fullmatch(name)) for names in (ours, theirs))
    if len(mine) < 2 or not _are_beside_variables(ours, mine, theirs, other):
        return False
    return is_same_span(answer, mine, reference, other, surely=_are_sure(mine) or _are_sure(other))


def _constants(ours: frozenset[str], theirs: frozenset[str]) -> list[str]:
    """The names of one side that are arbitrary: surely, or because only this side has them."""
    return sorted(
        name
        for name in ours
        if _SURELY.fullmatch(name) or (name not in theirs and (_ARBITRARY.fullmatch(name) or name == "k"))
    )


def _is_renamed(answer: Node, reference: Node, mine: list[str], other: list[str]) -> bool:
    if "k" in mine or "k" in other:
        return False  # a parameter of waves and of springs, unless it is added
    for order in permutations(range(len(other))):
        pairs = [(name, other[place]) for name, place in zip(mine, order, strict=True)]
        signs = [(1, -1) if any(map(_SIGNED.fullmatch, pair)) else (1,) for pair in pairs]
        for chosen in product(*signs):
            node = answer
            for name, place in zip(mine, order, strict=True):
                node = replace_symbol(node, name, Symbol(f"?{place}"))
            for place, sign in zip(order, chosen, strict=True):
                by = Symbol(other[place])
                node = replace_symbol(node, f"?{place}", by if sign > 0 else negative(by))
            found = identical(node, reference)
            if found is not None and found.equal:
                return True
    return False


def _is_added(node: Node, name: str) -> bool:
    """Whether a sum has the symbol in one of its terms alone, times a number at most."""
    if not isinstance(node, Sum):
        return False
    having = [term for term in node.terms if name in symbols(term)]
    if len(having) != 1:
        return False
    [term] = having
    if isinstance(term, Sum):
        return _is_added(term, name)
    factors = term.factors if isinstance(term, Product) else (term,)
    rest = [factor for factor in factors if factor != Symbol(name)]
    return len(rest) == len(factors) - 1 and all(_is_number(factor) for factor in rest)


def _is_number(node: Node) -> bool:
    found = fold_numbers(node)
    return isinstance(found, Number) and found.value != 0
