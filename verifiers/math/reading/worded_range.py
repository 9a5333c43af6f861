r"""Sets of real numbers in words, in signs: ``all real numbers greater than 1`` is ``x > 1``.

Only what says "all" and "real", or has a sign of relation or "except" behind "all x". Not covered: "between", which may
have its ends or not.
"""

from __future__ import annotations

import re

_SIGNS = {
    "greater than or equal to": "\\ge", "less than or equal to": "\\le", "greater than": ">", "more than": ">",
    "less than": "<", "at least": "\\ge", "at most": "\\le", "no more than": "\\le", "no less than": "\\ge",
}  # fmt: skip
_SAYS_ALL = re.compile(r"(?:all|any|every)(?![a-z])", re.IGNORECASE)
_NUMBERS = r"(?:numbers?|values?)"
_ALL = (
    rf"(?:(?P<name>[a-z]) (?:can be|is|may be) )?(?:all|any|every)(?: the)?"
    rf"(?: real(?:s| {_NUMBERS})?(?: of)?(?: [a-z])?| {_NUMBERS} of [a-z]|(?= [a-z] (?:[<>]|\\[lgn]e)))"
)
_JOIN = r",?(?: (?:such that|so that|where|with|satisfying|that are|that is|which are))?"
_COMPARED = re.compile(rf"{_ALL}{_JOIN}(?: [a-z] is)? (?P<sign>{'|'.join(_SIGNS)}) (?P<bound>[^<>=]+)", re.IGNORECASE)
_WITH_SIGNS = re.compile(
    rf"{_ALL}{_JOIN} (?P<condition>(?:[a-z]|\S{{1,20}})\s?(?:[<>]|\\(?:[lg]e|ne)(?:q|qslant)?(?![a-z])|!=).+)",
    re.IGNORECASE,
)
_EXCEPTED = re.compile(rf"{_ALL},? (?:except|other than|but)(?P<rest>.+)", re.IGNORECASE)


def in_signs(text: str) -> str:
    """The text of a set in signs, or the text itself where it is not one in words."""
    if _SAYS_ALL.search(text) is None:
        return text
    words = " ".join(text.split())
    if (found := _COMPARED.fullmatch(words)) is not None:
        return f"x {_SIGNS[found['sign'].lower()]} {found['bound']}"
    if (found := _WITH_SIGNS.fullmatch(words)) is not None:
        return found["condition"]
    if (found := _EXCEPTED.fullmatch(words)) is not None:
        return f"all real numbers except{found['rest']}"
    return text
