r"""The last ``\boxed{...}`` or ``\fbox{...}``, with the boxes beside it; a box inside a box belongs to the outer one.

A box that is not closed or is empty ends the search: there is no falling back to an earlier number. One that its
sentence denies (``not \boxed{5}``, ``\boxed{5} is wrong``) is none.
``\boxed 5`` (no braces, as TeX allows) takes the next word.
"""

from __future__ import annotations

import re

from verifiers.extract.answer import Answer, Denied, NoAnswer
from verifiers.extract.braces import bare, boxes, closing
from verifiers.extract.denial import is_denied
from verifiers.extract.parts import answer_of
from verifiers.extract.passage import passage

RULE = "boxed"
LONGEST = 10_000
"""Characters that one box may hold, and that the boxes beside it or around it may be away."""
MOST_DENIED = 32
"""Boxes that a response may deny one after the other; beyond that it says only what the answer is not."""

_OPEN = re.compile(r"\s*\{")
# another value behind the box: a decimal may be how a formula is rounded
_MAYBE = r"(?:possibly|maybe|perhaps|potentially)"
_ALTERNATIVE = re.compile(
    r"[$*)_]{0,4}[ \t]?[,;.(]{0,2}[ \t]*"
    rf"(?:(?:or|oder)(?:[ \t]+(?:{_MAYBE}|else|alternatively|even))?|{_MAYBE}"
    r"|(?:or[ \t]+)?(?:it|the[ \t]answer)[ \t](?:could|might|may)[ \t](?:(?:also|even|well)[ \t])?be)[ \t]+"
    r"(?:\$?\\boxed\{(?P<box>[^{}$\n]{1,80})\}\$?|\$(?P<formula>[^$\n]{1,80})\$"
    r"|(?P<number>-?\d[\d.,/]{0,20}(?<=\d)(?:[ \t]?\\?%)?))[*_]{0,2}(?=[ \t]*(?:[.!,;)?\n]|\Z))",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"-?\d*\.\d+")
_NOTHING = " \t\r\n$~\\,;:!.?_…"


def find_boxed(text: str) -> Answer | NoAnswer | Denied | None:
    """The last box that its sentence does not deny; Denied where it denies all that there are."""
    end, rest = len(text), -1
    for _ in range(MOST_DENIED):
        start, after = _last_box(text, 0, end)
        if start < 0:
            return None if rest < 0 else Denied(rest)
        found = _content(text, start, after)
        if isinstance(found, NoAnswer):
            return found
        if not is_denied(text, start, found[1] + 1):
            return _with_alternative(text, _among(text, start, found, end))
        end, rest = start, max(rest, found[1] + 1)
    return Denied(rest)


def _among(text: str, start: int, found: tuple[int, int], end: int) -> Answer:
    """The box that starts at a position and has that content, with the boxes beside it up to ``end``."""
    begin = max(0, start - LONGEST)
    if _last_box(text, begin, start)[0] < 0:
        return Answer(text[slice(*found)], RULE, found)
    near = boxes(text, _first_box(text, begin, start), min(end, found[1] + LONGEST))
    return passage(text, near) if near and near[-1].end >= found[1] else Answer(text[slice(*found)], RULE, found)


def _with_alternative(text: str, answer: Answer) -> Answer:
    """``\\boxed{3} or $4$`` as an answer in two parts."""
    if answer.span is None or answer.parts:
        return answer
    found = _ALTERNATIVE.match(text, answer.span[1] + 1)
    if found is None:
        return answer
    place = next(name for name in ("box", "formula", "number") if found[name])
    if _DECIMAL.fullmatch(found[place]) and "\\" in answer.text:
        return answer
    values = (answer.text.strip(), found[place].strip())
    return answer_of(text, RULE, [answer.span, found.span(place)], candidates=values)


def _last_box(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where the last box between two positions starts, and where its command ends; -1 where there is none."""
    boxed, fbox = text.rfind("\\boxed", begin, end), text.rfind("\\fbox", begin, end)
    return (boxed, boxed + 6) if boxed >= fbox else (fbox, fbox + 5)


def _first_box(text: str, begin: int, end: int) -> int:
    """Where the first box between two positions starts; there is one."""
    places = text.find("\\boxed", begin, end), text.find("\\fbox", begin, end)
    return min(place for place in places if place >= 0)


def _content(text: str, start: int, after: int) -> tuple[int, int] | NoAnswer:
    opened = _OPEN.match(text, after)
    if opened is None:
        span = bare(text, after, min(len(text), after + LONGEST))
        if span is None:
            return NoAnswer("empty_answer", "the final box is empty", (start, after))
        return span if span[1] - span[0] < LONGEST - 1 else _too_long(start, after)
    inner = opened.end()
    end = closing(text, inner - 1, min(len(text), inner + LONGEST))
    if end is None:
        if len(text) > inner + LONGEST:
            return _too_long(start, inner)
        return NoAnswer("unclosed_box", "the final box is not closed", (start, inner))
    if not text[inner:end].strip(_NOTHING):
        return NoAnswer("empty_answer", "the final box is empty", (start, end + 1))
    return inner, end


def _too_long(start: int, end: int) -> NoAnswer:
    return NoAnswer("answer_too_long", f"the final box holds more than {LONGEST} characters", (start, end))
