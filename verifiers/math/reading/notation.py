r"""Formulas that nothing here evaluates: sets with letters, logic, geometry, chemistry, series with dots.

They are compared by their signs, in one spelling each. With the same signs in the same order they are equal, or with
the operands of one operator that may be exchanged (``A \cap B``). With other signs they are unequal: a digit, a letter
or an operator more, less or other is another formula. The same signs in another order tell nothing, but between
operators like ``\setminus``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from verifiers.math.algebra.decision import Decision
from verifiers.math.reading.statement import is_ion

LONGEST = 1_500

_SIGN = re.compile(r"\\\\|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[^\s{}&]")
_SETTING = frozenset(("\\text", "\\mathbb", "\\mathcal", "\\mathfrak", "\\mathscr", "\\limits", "\\middle", "~", "."))
_ALIKE = {
    "\\land": "wedge", "\\lor": "vee", "\\neg": "lnot", "\\to": "rightarrow longrightarrow xrightarrow",
    "\\Rightarrow": "implies Longrightarrow", "\\Leftrightarrow": "iff Longleftrightarrow leftrightarrow",
    "\\emptyset": "varnothing", "\\setminus": "smallsetminus backslash", "\\perp": "bot", "\\parallel": "|",
    "\\le": "leq leqslant", "\\ge": "geq geqslant", "\\ne": "neq", "<": "lt", ">": "gt", "\\cdot": "ast",
    "\\dots": "ldots cdots dotsb dotsc", "|": "vert lvert rvert mid", ":": "colon", "\\subseteq": "subset",
    "'": "prime",
}  # fmt: skip
_SPELLED = {f"\\{name}": sign for sign, names in _ALIKE.items() for name in names.split()}
_SPELLED |= {"→": "\\to", "*": "\\cdot", ";": ","}
_EXCHANGED = frozenset(
    ("\\cap", "\\cup", "\\land", "\\lor", "\\oplus", "\\parallel", "\\perp", "\\cong", "\\sim", "\\Leftrightarrow")
)
"""Operators whose operands may be exchanged."""
_ORDERED = frozenset(("\\to", "\\Rightarrow", "\\setminus", "\\subseteq", "\\in"))
"""Operators whose sides are not to be exchanged."""
_DEPTH = {"(": 1, "[": 1, "\\{": 1, ")": -1, "]": -1, "\\}": -1}
_DANGLING = frozenset("+-*/=<>^_(,:") | frozenset(("\\cdot", "\\le", "\\ge", "\\ne", "\\to", "\\times", *_EXCHANGED))
# the grade B-, a side: 0^-, x \to 2^+. A polynomial that breaks off, b^2-, is neither
_SIGNED = re.compile(r"[A-F][+-]|(?:[a-z]\\to)?-?(?:\d{1,4}|[a-z])\^[+-]")
_WRAPPED = re.compile(r"\\text|[{}\s]")

_FIGURE = re.compile(r"\\(angle|triangle)\s?\{?\s?([A-Z])\s?([A-Z])\s?([A-Z])\s?\}?")


def same_figure(answer: str, reference: str) -> bool | None:
    """Of two angles or triangles named by their points; None where a text is neither."""
    ours, theirs = _FIGURE.fullmatch(answer), _FIGURE.fullmatch(reference)
    if ours is None or theirs is None:
        return None
    mine, other = ours.groups()[1:], theirs.groups()[1:]
    if ours[1] != theirs[1]:
        return False
    return sorted(mine) == sorted(other) if ours[1] == "triangle" else mine in (other, other[::-1])


def signs(text: str) -> list[str]:
    """What a plain text says, without its layout."""
    found = (_SPELLED.get(sign, sign) for sign in _SIGN.findall(text))
    return [sign for sign in found if sign not in _SETTING]


def formula(text: str) -> bool:
    """Whether a text is whole: with a letter or digit, its brackets closed and no operator at its end but a charge."""
    found = signs(text) if len(text) <= LONGEST else []
    ends = found[-1:] and found[-1] in _DANGLING and not text.endswith("}")
    if not found or (ends and not _ends_in_sign(text)) or not any(sign[0].isalnum() for sign in found):
        return False
    if text.count("{") - text.count("\\{") != text.count("}") - text.count("\\}"):
        return False
    return sum(_DEPTH.get(sign, 0) for sign in found) == 0 or bool(set(found) & {"[", "]"})


def _ends_in_sign(text: str) -> bool:
    """Whether the sign at the end belongs to what is before it: a charge, a grade, a side."""
    return is_ion(text) or _SIGNED.fullmatch(_WRAPPED.sub("", text)) is not None


def same_signs(answer: str, reference: str) -> Decision | None:
    """Of two formulas that nothing evaluates; None where they have the same signs in another order."""
    ours, theirs = signs(answer[: 4 * LONGEST]), signs(reference)
    if _PROPOSITIONAL.issuperset(ours) and _PROPOSITIONAL.issuperset(theirs):
        ours, theirs = ([_CONDITIONAL.get(sign, sign) for sign in each] for each in (ours, theirs))
        orders = _arranged(ours), _arranged(theirs)
        if None not in orders:
            return Decision(orders[0] == orders[1], "equal_text" if orders[0] == orders[1] else "unequal_text")
    if ours == theirs:
        return Decision(True, "equal_text")
    if (sides := [_reaction(each) for each in (ours, theirs)]) and None not in sides:
        return Decision(sides[0] == sides[1], "equal_text" if sides[0] == sides[1] else "unequal_text")
    if Counter(ours) != Counter(theirs):
        return Decision(False, "unequal_text")
    if _exchanged(ours) == _exchanged(theirs) != []:
        return Decision(True, "equal_text")
    turned = set(ours) & _ORDERED and not set(ours) & {"+", ",", *_EXCHANGED}
    return Decision(False, "unequal_text") if turned else None


_PROPOSITIONAL = frozenset("pqrstPQRST()") | frozenset(
    ("\\land", "\\lor", "\\oplus", "\\lnot", "\\neg", "\\to", "\\Rightarrow", "\\Leftrightarrow", "[", "]")
)
_CONDITIONAL = {"\\Rightarrow": "\\to", "\\lnot": "\\neg", "[": "(", "]": ")"}
_JOINING = ("\\Leftrightarrow", "\\to", "\\lor", "\\land", "\\oplus")
"""From the one that binds least; of *or* and *and* side by side without brackets nobody is sure."""


def _arranged(found: Sequence[str]) -> object:
    """A proposition with the operands of what may exchange them in order; None where brackets or operands lack."""
    if len(found) == 1:
        return found[0] if found[0].isalpha() else None
    depth, places = 0, list[int]()
    for place, sign in enumerate(found):
        depth += _DEPTH.get(sign, 0)
        if depth < 0:
            return None
        if depth == 0 and sign in _JOINING:
            places.append(place)
    if depth or not found:
        return None
    kinds = {found[place] for place in places}
    if not kinds and found[0] == "\\neg":
        inner = _arranged(found[1:])
        return None if inner is None else ("\\neg", inner)
    if not kinds:
        return _arranged(found[1:-1]) if found[0] == "(" and found[-1] == ")" else None
    joined = next(sign for sign in _JOINING if sign in kinds)
    if len(kinds - {"\\Leftrightarrow", "\\to"}) > 1 or (joined == "\\to" and found.count(joined) > 1):
        return None
    edges = [-1, *(place for place in places if found[place] == joined), len(found)]
    operands = [_arranged(found[start + 1 : end]) for start, end in pairwise(edges)]
    if None in operands:
        return None
    return (joined, *(sorted(operands, key=repr) if joined in _EXCHANGED or joined == "\\oplus" else operands))


def _reaction(found: Sequence[str]) -> list[list[str]] | None:
    """What reacts and what comes of it, each in one order; None where a text is no reaction of formulas."""
    if found.count("\\to") != 1 or "+" not in found or not any(sign[0].isupper() for sign in found) or "," in found:
        return None
    arrow = found.index("\\to")
    return [sorted(" ".join(side).split(" + ")) for side in (found[:arrow], found[arrow + 1 :])]


def _exchanged(found: list[str]) -> list[list[str]]:
    """The operands in order where one operator of :data:`_EXCHANGED` joins them all, else none."""
    depth, operands, operators = 0, [list[str]()], set[str]()
    for sign in found:
        depth += _DEPTH.get(sign, 0)
        if depth == 0 and (sign in _EXCHANGED or sign in _ORDERED):
            operators.add(sign)
            operands.append([])
        else:
            operands[-1].append(sign)
    return sorted(operands) if len(operators) == 1 and not operators & _ORDERED else []
