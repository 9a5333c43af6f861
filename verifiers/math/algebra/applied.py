r"""Is the letter before a bracket a function or a factor? ``f(0)`` is no product, ``k(x + 1)`` is one.

Both readings are kept until both sides are there. A letter is a factor where either side multiplies it (it stands
somewhere without a bracket after it). Else capitals and f, g, h are functions, and any letter before a single number or
letter, or a list (``y(0)``, ``u(x, t)``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from verifiers.math.algebra.node import CONSTANTS
from verifiers.math.algebra.token import Token, Unread, tokens

_FUNCTIONS = frozenset("fgh")
_INVERSE = ["^", "{", "-", "1", "}", "("]


class Uses(NamedTuple):
    """Names before a bracket, those of them before a single thing or a list, and names that stand alone."""

    applied: frozenset[str]
    simply: frozenset[str]
    alone: frozenset[str]


_NONE = Uses(frozenset(), frozenset(), frozenset())


def functions(one: str, other: str) -> frozenset[str]:
    """The names that are functions in two texts that are compared."""
    if "(" not in one and "(" not in other:
        return frozenset()
    ours, theirs = uses(one), uses(other)
    applied = (ours.applied | theirs.applied) - ours.alone - theirs.alone
    return (
        frozenset(name for name in applied if _is_function(name, ours.simply | theirs.simply)) if applied else applied
    )


def _is_function(name: str, simply: frozenset[str]) -> bool:
    letter = name.strip("\\").rstrip("'").partition("_")[0]
    return letter in _FUNCTIONS or letter[:1].isupper() or "'" in name or name in simply


@lru_cache(maxsize=2048)
def uses(text: str) -> Uses:
    if not text:
        return _NONE
    try:
        found = tokens(text)
    except Unread:
        return _NONE
    applied: set[str] = set()
    simply: set[str] = set()
    alone: set[str] = set()
    at = 0
    while at < len(found):
        if found[at].kind != "name" or found[at].text in CONSTANTS:
            at += 1
            continue
        name, at = read_name(found, at)
        if opens(found, at):
            applied.add(name)
            if _simple(found, at + (len(_INVERSE) if found[at].text == "^" else 1)):
                simply.add(name)
        else:
            alone.add(name)
    return Uses(frozenset(applied), frozenset(simply), frozenset(alone))


def read_name(found: list[Token], at: int) -> tuple[str, int]:
    """The name that starts at a token, with its subscript and primes, and where it ends."""
    name = found[at].text
    at += 1
    if at + 1 < len(found) and found[at].text == "_":
        end = at + 2
        if found[at + 1].text == "{":
            end = next((place for place in range(at, len(found)) if found[place].text == "}"), at + 1) + 1
        name += "_" + "".join(token.text for token in found[at + 1 : end] if token.text not in "{}")
        at = end
    while at < len(found) and found[at].text == "'":
        name += "'"
        at += 1
    return name, at


def opens(found: list[Token], at: int) -> bool:
    """Whether a bracket follows, or the sign of the inverse function and a bracket."""
    if at < len(found) and found[at].text == "(":
        return True
    return [token.text for token in found[at : at + len(_INVERSE)]] == _INVERSE


def _simple(found: list[Token], at: int) -> bool:
    """Whether a number or letter stands alone in a bracket, or a list does."""
    depth = 1
    place = at
    while place < len(found):
        text = found[place].text
        depth += (text == "(") - (text == ")")
        if depth == 0:
            break
        if depth == 1 and text == ",":
            return True
        place += 1
    inside = [token for token in found[at:place] if token.text != "-"]
    return len(inside) == 1 and inside[0].kind in ("number", "name")
