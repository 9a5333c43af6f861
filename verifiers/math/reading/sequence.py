r"""Answers in several parts: ``(1, 2)``, ``[0, 1)``, ``\{1, 2\}``, ``1, 2 and 3``, ``\pm 3``.

Sets and bare lists have no order, tuples and intervals have one. Nested groups stay whole. Not covered:
unions and sets given by a condition: they are expressions for the symbolic stage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from verifiers.math.reading.cases import system
from verifiers.math.reading.matrix import matrix
from verifiers.math.reading.matrix_algebra import evaluate_matrices

MOST_PARTS = 60

_STEP = re.compile(r"\\.|[(){}\[\],;]", re.DOTALL)
_TRANSPOSED = re.compile(r"(?<=[)\]}e])\s?\^\s?\{?\s?(?:T|\\top|\\intercal|\\text\s?\{?\s?T\s?\}?|\\tran)\s?\}?$")
_PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])")
_MINUS_PLUS = re.compile(r"\\mp(?![A-Za-z])")
_JOINED = re.compile(r"\\l(?:and|or)(?![A-Za-z])\s?")
# 5 \\text{meters and} 3 \\text{seconds}
_AND_WITHIN = re.compile(r"(?<=[\d})\]] )\\text\s?\{([a-z]{1,20}(?: [a-z]{1,20}){0,3}?),? and\s?\}(?=\s?[-+\d\\.])")
_OPENERS = {"(": "(", "[": "[", "\\{": "{", "\\langle": "("}
_CLOSERS = {")": ")", "]": "]", "\\}": "}", "\\rangle": ")"}
_DEPTH = {"(": 1, "[": 1, "{": 1, "\\{": 1, ")": -1, "]": -1, "}": -1, "\\}": -1}


@dataclass(frozen=True, slots=True)
class Sequence:
    """``brackets`` is ``()``, ``[)``, ``{}``, ... or empty for a bare list.

    ``alternatives``: its parts are joined by "or", or are both signs of one value. ``blanks``: they are parted by
    semicolons alone, as the answers to several blanks are.
    """

    brackets: str
    parts: tuple[str, ...]
    alternatives: bool = False
    blanks: bool = False

    @property
    def ordered(self) -> bool:
        return self.brackets not in ("", "{}")


def sequence(text: str) -> Sequence | None:
    """The parts of a plain text that has several, or is a set; None where it is one expression."""
    variants = _variants(text)
    if variants is not None:
        return Sequence("", variants, alternatives=True)
    if "\\begin" in text and (equations := system(text)) is not None:
        return Sequence("", equations)
    if "\\hat{" in text and (vector := components(text)) is not None:
        return Sequence("()", vector)
    if "matrix" in text or "array" in text or text.startswith("[["):
        upright = _TRANSPOSED.sub("", text)
        rows = matrix(upright)
        if rows is not None:
            return _of_rows(rows if upright == text else tuple(zip(*rows, strict=True)))
        if "\\end" in text and (rows := evaluate_matrices(text)) is not None:
            return _of_rows(rows)
    if "\\text" in text:
        text = _AND_WITHIN.sub(r"\\text{\1},\\land ", text)
    if "," not in text and ";" not in text and not text.startswith("\\{"):
        return None
    turned = 0
    if "^" in text and text[:1] in "([\\":
        text, turned = _TRANSPOSED.subn("", text)
    brackets, inner = _opened(text)
    if turned and brackets == "[]":
        brackets = "()"
    parts = _split(inner)
    if brackets == "[]" and parts and all("=" in part for part in parts):
        brackets = ""  # [x = 1, y = 2]
    if parts is None or (len(parts) < 2 and brackets != "{}"):
        return None
    alternatives = any(part.startswith("\\lor") for part in parts)
    parts = tuple(_JOINED.sub("", part) for part in parts)
    blanks = brackets == "" and ";" in text and len(parts) > 1 and len(parts) == len(_split(inner, ";") or ())
    if brackets in ("", "{}"):
        parts = tuple(one for part in parts for one in _variants(part) or (part,))
    elif brackets == "()" and "\\pm" in text and (pairs := _signed(parts)) is not None:
        return Sequence("", pairs, alternatives=True)
    if brackets == "{}":
        parts = tuple(dict.fromkeys(parts))
    return Sequence(brackets, parts, alternatives, blanks)


def _signed(parts: tuple[str, ...]) -> tuple[str, str] | None:
    """``(\\pm 2, 0)`` as its two tuples; several signs are the upper ones or the lower ones."""
    if not any(_PLUS_MINUS.search(part) for part in parts):
        return None
    return tuple(  # type: ignore[return-value]
        f"({', '.join(_MINUS_PLUS.sub(other, _PLUS_MINUS.sub(sign, part)) for part in parts)})"
        for sign, other in (("+", "-"), ("-", "+"))
    )


def _of_rows(rows: tuple[tuple[str, ...], ...]) -> Sequence:
    """A vector is a tuple whichever way it lies; a matrix keeps its shape as its brackets."""
    parts = tuple(entry for row in rows for entry in row)
    vector = len(rows) == 1 or len(rows[0]) == 1
    return Sequence("()" if vector and len(parts) > 1 else f"{len(rows)}x{len(rows[0])}", parts)


def _variants(text: str) -> tuple[str, str] | None:
    signs = _PLUS_MINUS.findall(text)
    if len(signs) != 1 or "," in text:
        return None
    return _PLUS_MINUS.sub("+", text).strip(), _PLUS_MINUS.sub("-", text).strip()


def _opened(text: str) -> tuple[str, str]:
    """The brackets around the whole text and what is inside; no brackets where they close before its end."""
    for opener, left in _OPENERS.items():
        for closer, right in _CLOSERS.items():
            if not (text.startswith(opener) and text.endswith(closer)):
                continue
            inner = text[len(opener) : len(text) - len(closer)]
            if _split(inner) is not None:
                return left + right, inner.strip()
    return "", text


def _split(text: str, at: str = ",;") -> tuple[str, ...] | None:
    """At the commas and semicolons outside all brackets; None where brackets do not match or a part is empty.

    Where semicolons part groups, some with commas (``x=1,y=2; x=3,y=4``), the groups are the parts.
    """
    marks: list[tuple[int, str]] = []
    depth = 0
    for step in _STEP.finditer(text):
        depth += _DEPTH.get(step[0], 0)
        if depth < 0:
            return None
        if depth == 0 and step[0] in at:
            marks.append((step.start(), step[0]))
    if depth:
        return None
    groups = "".join(mark for _, mark in marks).split(";")
    if len(groups) > 1 and any(groups):
        marks = [found for found in marks if found[1] == ";"]
    places = [-1, *(place for place, _ in marks), len(text)]
    parts = tuple(text[before + 1 : after].strip() for before, after in pairwise(places))
    return parts if all(parts) and len(parts) <= MOST_PARTS else None


_UNIT_TERM = re.compile(r"\s*([-+]?)\s*((?:[^{}+-]|\{[^{}]{0,80}\})*?)\s*(?:\\cdot\s*)?\\hat\{([ijk])\}\s*")


def components(text: str) -> tuple[str, ...] | None:
    r"""The components of a sum over unit vectors: ``2\hat{i} - \hat{k}`` is (2, 0, -1); else None.

    As many as the last unit vector asks for, at least two.
    """
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        term = _UNIT_TERM.match(text, at)
        if term is None or term[3] in found or (at and not term[1]):
            return None
        found[term[3]] = f"{term[1]}{term[2] or '1'}"
        at = term.end()
    names = "ijk" if "k" in found else "ij"
    return tuple(found.get(name, "0") for name in names) if found else None
