"""Where a reference's words stand in a sentence: together, or as far apart and in such order as its kind allows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifiers.equivalence.words import MONTHS, place_of

Span = tuple[int, int]
_ANY_ORDER = re.compile(r"\band\b|&|,|;|/", re.IGNORECASE)
_NAME = re.compile(r"(?:[A-ZÀ-Þ][\w'’.-]*\s*){2,4}")
_TITLES = frozenset(
    ("sir", "king", "queen", "president", "prime", "minister", "doctor", "dr", "professor", "emperor", "saint", "st")
)
_SLACK = 2
_MOST = 12


def find_span(text: str, read: Sequence[str], given: Sequence[str]) -> tuple[Span | None, str]:
    """The span of words in which a sentence has a reference, and the rule by which it has it."""
    at = place_of(read, given)
    if at >= 0:
        return (at, at + len(read)), "contained"
    if len(read) > _MOST:
        return None, ""
    if MONTHS.intersection(read) and any(word.isdigit() for word in read):
        return _window(read, given, len(read) + 1), "date"
    if len(read) > 2 and _ANY_ORDER.search(text):
        parts = [word for word in read if word != "and"]
        return _window(parts, given, len(read) + _SLACK), "any_order"
    if _NAME.fullmatch(text.strip()):
        return _name(read, given), "name"
    return None, ""


def _window(read: Sequence[str], given: Sequence[str], width: int) -> Span | None:
    """The first stretch of so many words that has all of these."""
    wanted = set(read)
    places = [place for place, word in enumerate(given) if word in wanted]
    for start in places:
        if wanted <= set(given[start : start + width]):
            return start, start + width
    return None


def _name(read: Sequence[str], given: Sequence[str]) -> Span | None:
    """A person's name with or without middle names and titles: the first and last name, two words between at most."""
    names = [word for word in read if word not in _TITLES]
    if len(names) < 2:
        return None
    first, last = names[0], names[-1]
    for at, word in enumerate(given):
        if word == first and last in given[at + 1 : at + 2 + _SLACK]:
            end = given.index(last, at + 1)
            between = given[at + 1 : end]
            # one of both may leave middle names out, but they may not have different ones
            if not between or len(names) == 2 or set(between) <= set(names):
                return at, end + 1
    return None
