r"""What is refused before a computer algebra system sees it, told from the text alone in one pass.

The bounds are wide for answers and tight for bombs: nesting, digits, length, towers of powers, symbols
without end, factorials and binomials of large numbers. What passes and still hangs is ended by its worker.
"""

from __future__ import annotations

import re

LONGEST = 1_500
DEEPEST = 24
MOST_DIGITS = 60
MOST_NAMES = 40
TALLEST_TOWER = 2
MOST_MARKS = 60
"""Commas, subscripts or relation signs, each."""

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_DIGITS = re.compile(rf"\d{{{MOST_DIGITS + 1}}}")
_NAMES = re.compile(r"[^\W\d_]")
_COMMANDS = re.compile(r"\\[A-Za-z]+")
_FACTORIAL = re.compile(r"\d{5,}\s?[)}]*\s?!|!\s?!\s?!|\)\s?!\s?\)\s?!")
_BINOMIAL = re.compile(r"\\[dt]?binom\s?\{?[^{}]{0,40}\d{5,}")
_EXPONENT = re.compile(r"\^\s?[-+({]{0,4}\s?\d{5,}")
_STEP = re.compile(r"\\[A-Za-z]+|\\.|[\d.]+|\S", re.DOTALL)


class TooHeavy(ValueError):
    """The text passed the guard, but what it denotes is beyond the bounds."""


def danger(text: str) -> str | None:
    """Why a text is not given to a computer algebra system, else None."""
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if _DIGITS.search(text):
        return f"a number of more than {MOST_DIGITS} digits"
    if _depth(text) > DEEPEST:
        return f"nested deeper than {DEEPEST}"
    if len(set(_NAMES.findall(_COMMANDS.sub(" ", text)))) > MOST_NAMES:
        return f"more than {MOST_NAMES} symbols"
    if any(text.count(mark) > MOST_MARKS for mark in ",_=<>"):
        return f"more than {MOST_MARKS} parts, subscripts or relations"
    if _FACTORIAL.search(text) or _BINOMIAL.search(text):
        return "a factorial or binomial of a large number"
    if _EXPONENT.search(text):
        return "a power with an exponent of five digits or more"
    if _tower(text) > TALLEST_TOWER:
        return f"a tower of more than {TALLEST_TOWER} powers"
    return None


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += _BRACKETS.get(character, 0)
        deepest = max(deepest, depth)
    return deepest


def _tower(text: str) -> int:
    """How many exponents stand inside one another; ``2^3^4`` counts as ``2^{3^4}``."""
    groups = [0]
    height = tallest = 0
    raised = False
    for step in _STEP.finditer(text):
        piece = step[0]
        if piece == "^":
            height += 1
            tallest = max(tallest, height)
        elif piece in "({":
            height = height if raised else groups[-1]
            groups.append(height)
        elif piece in ")}":
            groups[1:] = groups[1:-1]
            height = groups[-1]
        elif not raised:
            height = groups[-1]
        raised = piece == "^"
    return tallest
