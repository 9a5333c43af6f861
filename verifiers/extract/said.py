"""The value that a sentence gives to the formula before it: ``the largest $n$ is 34``.

Only where nothing but the value, or with it the noun of what is counted, stands between the formula and the end of the
sentence. A formula in a condition (``when $x$ is 3``) is given nothing.
"""

from __future__ import annotations

import re

from verifiers.extract.parts import Span

_VALUE = r"[-+]?(?:[$€£]\s?)?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:/\d+|\s\d+/\d+|\s?%)?"
_COMPARED = r"(?:times|more|less|fewer|of|or|and|plus|minus|but)"
_SAID = re.compile(
    r"\s?(?:is|are|was|equals|=|(?:will|must|should|would)\sbe|comes\sto)\s"
    r"(?:(?:also|exactly|indeed|just|only|simply|then|therefore|thus)\s)?"
    rf"[*_]{{0,3}}(?P<value>{_VALUE})(?P<noun>(?:\s(?!{_COMPARED}\b)[a-z]{{1,15}}){{0,3}})[*_]{{0,3}}(?:[.!](?!\d)|\s*\Z)"
)
_CONDITION = re.compile(
    r"(?:\b(?:when(?:ever)?|where|if|since|because|as|for|with|given(?:\sthat)?|unless)|[(])\s?(?:the\s)?\Z",
    re.IGNORECASE,
)
_BEFORE = 24
_STATED = re.compile(r"[\d=<>]")


def said_of(text: str, formula: Span, end: int) -> Span | None:
    """Where the value of a formula (its whole stretch) stands, before ``end``; None where it is given none."""
    found = _SAID.match(text, formula[1], end)
    if found is None or _CONDITION.search(text, max(0, formula[0] - _BEFORE), formula[0]):
        return None
    # beside a formula that says a value itself, a noun is of something else: "$x = 5$ is 1 solution"
    if found["noun"] and _STATED.search(text, *formula):
        return None
    return found.start("value"), found.end("noun")
