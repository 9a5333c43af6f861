"""Sentences by rule, without a trained model: a full stop, question or exclamation mark ends one.

Not an end: the point of a known abbreviation, of an initial, of an enumerator at the start of a line, within
a number or a name, and an ellipsis before a small letter. A line without any such mark belongs to the
sentence that follows, as with the usual trained splitters; a piece without letter or digit is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s|\Z)|[。！？]++[”’」』）]*+")
_LAST_WORD = re.compile(r"[^\s.(\[\"“]++(?:\.[^\s.]++)*+\Z")
_WORDLIKE = re.compile(r"\w")
_ENUMERATOR = re.compile(r"\d{1,3}|[A-Za-z]|[ivxIVX]{1,4}")
# before a name or an example, so never the end of a sentence
_ALWAYS = "mr mrs ms dr prof st sr jr gen col sgt capt rev hon messrs mt ft vs cf approx e.g i.e"
_BEFORE_SMALL = "jan feb aug sept oct nov dec d.c etc al inc ltd co corp a.m p.m u.s u.k ca esp resp viz"
_BEFORE_DIGIT = "no fig vol eq p pp ch sec art"
_ABBREVIATIONS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(_ALWAYS.split(), lambda following: True),
    **dict.fromkeys(_BEFORE_SMALL.split(), lambda following: not following.isupper()),
    **dict.fromkeys(_BEFORE_DIGIT.split(), str.isdigit),
}
_LOOK_BACK = 40


def sentences(text: str) -> list[str]:
    """The sentences of a text, trimmed, in order. Linear in its length."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where these begin and end."""
    ends = [end.end() for end in _END.finditer(text) if _ends(text, end.start(), end.end())]
    found: list[tuple[int, int]] = []
    for start, end in pairwise([0, *ends, len(text)]):
        sentence = text[start:end].strip()
        if _WORDLIKE.search(sentence):
            begin = start + len(text[start:end]) - len(text[start:end].lstrip())
            found.append((begin, begin + len(sentence)))
    return found


def _ends(text: str, mark: int, after: int) -> bool:
    """Whether the marks from ``mark`` to ``after`` end a sentence."""
    marks = text[mark:after]
    if not marks.startswith((".", "…")) or "!" in marks or "?" in marks:
        return True
    following = text[after : after + _LOOK_BACK].lstrip()[:1]
    if marks.startswith(("..", "…")):
        return not following.islower()
    return not _is_abbreviation(text, mark, following)


def _is_abbreviation(text: str, mark: int, following: str) -> bool:
    """Whether the full stop at ``mark`` belongs to the word or number before it."""
    if not following:
        return False
    before = text[max(0, mark - _LOOK_BACK) : mark]
    if _enumerates(before, whole=mark <= _LOOK_BACK):
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    last = word[0].lower()
    # J. S. Bach; an "I" is rather the end of "So did I."
    initial = len(last) == 1 and word[0].isupper() and last != "i"
    return initial or (last in _ABBREVIATIONS and _ABBREVIATIONS[last](following))


def _enumerates(before: str, *, whole: bool) -> bool:
    """Whether all that stands before the stop on its line is ``1``, ``a`` or ``iv``."""
    _, newline, line = before.rpartition("\n")
    return bool(newline or whole) and _ENUMERATOR.fullmatch(line.strip(" \t#*_->")) is not None
