r"""Sums over an index, term by term: ``\sum_{n=1}^\infty \frac{x^n}{n}`` is ``\sum_{k=0}^\infty \frac{x^{k+1}}{k+1}``.

Two sums are one where they run as far and each term of one is the term of the other, looked at for the first indices
and for some far ones. Where names have subscripts both begin at the same index. Only equality is found here: sums of
other terms may still be equal.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.identity import identical
from verifiers.math.algebra.node import Node, Number, Sum, Symbol, replace_symbol

LONGEST = 400
OFFSETS = (*range(8), 22, 45, 46)
"""Which terms are compared, counted from the first."""

_SERIES = re.compile(
    r"(?P<factor>[^=,;&]{0,60}?)\\sum\s?(?:\\limits\s?)?_\s?\{\s?(?P<index>[a-z])\s?=\s?(?P<first>-?\d{1,3})\s?\}"
    r"\s?\^\s?(?:\{(?P<last>[^{}]{1,24})\}|(?P<sign>\\infty|\w))(?P<term>[^=,;&]{1,400})"
)
_STEP = re.compile(r"\\[A-Za-z]+|.", re.DOTALL)
_ENDLESS = re.compile(r"\s?\+?\s?\\infty\s?")
_OTHERS = re.compile(r"\\(?:sum|prod|int|lim|l?dots|cdots|pm|mp|infty)(?![A-Za-z])")
_WORD = re.compile(r"\\text|(?<![\\A-Za-z])[A-Za-z]{3,}")
_LETTERS = "kjmpqn"


class _Series(NamedTuple):
    """``last`` is None where it has no end; ``written`` is the text of its term."""

    name: str
    first: int
    last: Node | None
    term: Node
    written: str


def is_same_series(answer: str, reference: str) -> bool:
    """Whether both are sums over an index with the same terms in the same order."""
    if len(answer) > LONGEST or len(reference) > LONGEST:
        return False
    free = next((letter for letter in _LETTERS if letter not in _bare(answer) + _bare(reference)), None)
    ours, theirs = _read(answer, free), _read(reference, free)
    if ours is None or theirs is None or (ours.last is None) != (theirs.last is None):
        return False
    if ours.first != theirs.first and ("_" in ours.written or "_" in theirs.written):
        return False
    if ours.last is not None and theirs.last is not None:
        shift = Number(Fraction(theirs.first - ours.first))
        found = identical(Sum((ours.last, shift)), theirs.last)
        if found is None or not found.equal:
            return False
    return all(_is_same_term(ours, theirs, offset) for offset in OFFSETS)


def _is_same_term(ours: _Series, theirs: _Series, offset: int) -> bool:
    mine, other = (replace_symbol(one.term, one.name, Number(Fraction(one.first + offset))) for one in (ours, theirs))
    found = identical(mine, other)
    return found is not None and found.equal


def _bare(text: str) -> str:
    return re.sub(r"\\[A-Za-z]+", " ", text)


def _read(text: str, free: str | None) -> _Series | None:
    """The sum that a text is, its index by a letter that neither text has where there is one."""
    found = _SERIES.fullmatch(text)
    if found is None or _OTHERS.search(found["term"]) or _adds(found["term"]) or _adds(found["factor"].lstrip(" -")):
        return None
    name, term = found["index"], found["term"]
    if _WORD.search(term):
        return None
    if free is not None:
        term = _STEP.sub(lambda step: f" {free} " if step[0] == name else step[0], term)
        name = free
    factor = found["factor"].strip()
    written = f"{'-' if factor.startswith('-') else ''}({factor.lstrip('- ') or '1'})*({term})"
    node = expression(written)
    if node is None or name in ("e", "i"):
        return None
    end = found["last"] or found["sign"]
    if _ENDLESS.fullmatch(end):
        return _Series(name, int(found["first"]), None, node, written)
    last = expression(end)
    return None if last is None or last == Symbol(name) else _Series(name, int(found["first"]), last, node, written)


def _adds(text: str) -> bool:
    """Whether a sign of addition stands outside of all brackets: then the sum may end before it."""
    depth = 0
    for place, step in enumerate(_STEP.finditer(text)):
        depth += (step[0] in "({[") - (step[0] in ")}]")
        if depth <= 0 and step[0] in "+-" and place:
            return True
    return False
