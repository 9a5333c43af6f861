"""Constants that anybody may name: ``A e^x + B e^{-x}`` is ``c_1 e^x + c_2 e^{-x}``, in any order.

A name is free only in a family of functions: beside the constants there is a variable, and no capital letter, which
names a point, a set or an option. So ``C`` is no other letter, and ``AC`` is not ``AB``.
"""

from __future__ import annotations

import re
from itertools import permutations

from verifiers.math.identity import identical
from verifiers.math.node import CONSTANTS, Node, Symbol, replace_symbol, symbols

MOST = 3
_ARBITRARY = re.compile(r"[cC]_?\d?|K|[ABD]_?\d?|k_?\d|a_[12]")
_SURELY = re.compile(r"[cC]_?\d?|K")
_VARIABLES = frozenset("nrstuvwxyz") | {"\\theta", "\\phi", "\\rho", "theta", "phi", "rho"}
_COEFFICIENTS = frozenset("ab")
"""Beside them a ``c`` is the third of them."""


def is_renamed(answer: Node, reference: Node) -> bool:
    """Whether the answer is the reference with other names for its arbitrary constants, one for one."""
    ours, theirs = symbols(answer) - CONSTANTS, symbols(reference) - CONSTANTS
    mine, other, shared = sorted(ours - theirs), sorted(theirs - ours), ours & theirs
    if not shared & _VARIABLES or any(name[0].isupper() for name in shared):
        return False
    if "c" in other and shared & _COEFFICIENTS:
        return False
    if not 0 < len(mine) == len(other) <= MOST:
        return False
    if not all(map(_ARBITRARY.fullmatch, (*mine, *other))):
        return False
    if not (all(map(_SURELY.fullmatch, other)) or all(map(_SURELY.fullmatch, mine))):
        return False
    for order in permutations(other):
        node = answer
        for name, by in zip(mine, order, strict=True):
            node = replace_symbol(node, name, Symbol(by))
        found = identical(node, reference)
        if found is not None and found.equal:
            return True
    return False
