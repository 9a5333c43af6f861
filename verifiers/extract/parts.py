r"""Answers in several parts: ``x = \boxed{1}, y = \boxed{2}``, ``$1$ and $2$``.

Two stretches of a text are side by side where nothing but layout, ``,``, ``;``, ``/``, "and", "or" (in several
languages, "or maybe" too), a unit or the name of the next part (``y =``, ``(b)``) stands between them. An ``=``
without a name joins nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifiers.extract.answer import Answer

Span = tuple[int, int]

_WORD = r"(?:and|or|und|oder|et|ou|y|o|e|и|или|as well as|maybe|perhaps|possibly|alternatively)(?![^\W\d_])"
_ALSO = r"(?:\s(?:also|else|even|maybe|perhaps|possibly|alternatively)(?![^\W\d_]))?"
_CJK = r"[和或与及、]|以及|或者|또는|または"
_LAYOUT = r"[ \t\n$&*_`~|>]|\\[()\[\],;:! \\]|\\q?quad(?![a-z])"
_UNIT = r"°|\\?%|\^\{?\\circ\}?|\\(?:text|mathrm)\{[^\W\d_]{1,10}\}"
_AND = rf"\\(?:text|mbox|textrm)\{{[ ,~]{{0,3}}{_WORD}[ ,~]{{0,3}}\}}"
_NAME = r"(?:\\[a-z]{2,7}|[^\W\d_]{1,12}\d{0,2})(?:_\{?\w{1,4}\}?)?(?:\(\w\))?[ \t]{0,3}(?:&[ \t]?)?(?:=|:(?!=))"
_BULLET = r"(?<=\n)(?:[-•]|\d{1,2}[.)])(?=\s)|\([a-z\d]{1,3}\)"
_JOINT = re.compile(rf"(?:{_LAYOUT}|[,;/]|{_NAME}|{_WORD}|{_CJK}|{_UNIT}|{_AND}|{_BULLET})*+", re.IGNORECASE)
_LISTED = re.compile(rf"[ \t*_]*(?:(?P<comma>[,;、])[ \t*_]*)?(?:{_WORD}{_ALSO}|{_CJK})?[ \t*_]*", re.IGNORECASE)
_LABEL = re.compile(rf"(?<![\w\\])(?P<name>{_NAME})[\s$*]{{0,9}}\Z", re.IGNORECASE)
_LABEL_REACH = 40


def side_by_side(text: str, start: int, end: int) -> bool:
    """True where what stands between two boxes joins them."""
    return _JOINT.fullmatch(text, start, end) is not None


def is_listed(text: str, start: int, end: int, *, by_word: bool = False) -> bool:
    """True where a comma or a word on one line, or (``by_word``) a word, joins two stretches of mathematics."""
    found = _LISTED.fullmatch(text, start, end)
    if found is None:
        return False
    return bool(found[0].strip(" \t*_,;" if by_word else " \t*_"))


def label(text: str, start: int) -> str:
    """The name before a part, such as ``x`` of ``x = ``; empty where there is none."""
    before = text[max(0, start - _LABEL_REACH) : start]
    found = _LABEL.search(before) if before.rstrip(" \t\n$*").endswith(("=", ":")) else None
    return found["name"].rstrip("=:& \t") if found else ""


def answer_of(
    text: str, rule: str, spans: Sequence[Span], labels: tuple[str, ...] = (), candidates: tuple[str, ...] = ()
) -> Answer:
    """One answer of spans in order, at least one: in parts, unless they all say the same without names."""
    last = spans[-1]
    if len(set(candidates)) < 2:
        candidates = ()
    if len(spans) > 1:
        parts = tuple(text[slice(*span)].strip() for span in spans)
        if len(set(parts)) > 1 or len(set(labels)) > 1:
            end = last[1] - len(text[slice(*last)]) + len(text[slice(*last)].rstrip())
            named = labels if any(labels) else ()
            return Answer(", ".join(parts), rule, (spans[0][0], end), parts, named, candidates)
    return Answer(text[slice(*last)], rule, last, candidates=candidates)
