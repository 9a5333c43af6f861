r"""Answers to several questions that are counted: ``(a) 5; (b) 6``, ``\\text{(1)} 5 \\quad \\text{(2)} 6``, ``a) 5``.

What goes on with an operation, or ends with one, is no answer: ``(1)*(2)`` is a product, ``(1)x + (2)y`` a sum.
"""

from __future__ import annotations

import re

_COUNTS = (("a", "b", "c", "d", "e", "f"), ("1", "2", "3", "4", "5", "6"), ("i", "ii", "iii", "iv", "v", "vi"))
_FIRST = re.compile(r"(?:\\text\s?\{\s?)?\(?([a1i])\)")
_GOES_ON = re.compile(r"[+*/^=<>!)]|\\(?:cdot|times|div)(?![A-Za-z])")
_UNFINISHED = re.compile(r"(?:[-+*/^=<>(]|\\(?:cdot|times|div))\s?\Z")
MOST_CHARACTERS = 600


def parts(text: str) -> str:
    """The answers between semicolons without their numbers, where each of at least two has its own, in order."""
    first = _FIRST.match(text) if len(text) <= MOST_CHARACTERS else None
    if first is None:
        return text
    for count in _COUNTS:
        if count[0] == first[1]:
            found = _parted(text, count)
            return "; ".join(found) if found else text
    return text


def _parted(text: str, count: tuple[str, ...]) -> list[str]:
    """Each number's answer; empty where a number is missing in the row, stands alone or has no answer."""
    rest, found = text, list[str]()
    for number in count:
        pieces = re.split(rf"(?:(?:\\text\s?\{{\s?)?\({number}\)|(?<![^\s]){number}\))\s?\}}?", rest, maxsplit=1)
        if len(pieces) < 2:
            break
        found.append(pieces[0].strip(" ,;.\\"))
        rest = pieces[1]
    answers = [*found[1:], rest.strip(" ,;.\\")] if found else []
    if any(map(_GOES_ON.match, answers)) or any(map(_UNFINISHED.search, answers)):
        return []
    return answers if len(answers) > 1 and not found[0] and all(answers) and not rest.count("\\text{(") else []
