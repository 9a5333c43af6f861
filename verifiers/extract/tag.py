"""The text of the last ``<answer>...</answer>``; one that is opened and not closed is no answer.

Inside the tag a box is the answer, else what a marker at its beginning announces, else all of it, without the
Markdown around it.
"""

from __future__ import annotations

import re

from verifiers.extract.answer import DENIED, Answer, Denied, NoAnswer
from verifiers.extract.boxed import MOST_DENIED, find_boxed
from verifiers.extract.denial import is_denied
from verifiers.extract.marker import marker

RULE = "tag"
LONGEST = 10_000
SAID = 300
"""Characters up to which the text of a tag may be a sentence that announces its answer."""

_TAG = re.compile(r"<\s?(/?)\s?(?:final[_ ]?)?answer(?:\s[^<>]{0,60})?>", re.IGNORECASE)
_ANNOUNCED = re.compile(r"[*_\s]{0,9}(?:[^\W\d_]+,?[ \t]){0,4}(?:final |correct )?answer\b", re.IGNORECASE)
_MARKS = ("```", "**", "__", "`", "*")


def tag(text: str) -> Answer | NoAnswer | Denied | None:
    """The last tag that its sentence does not deny; Denied where it denies all that there are."""
    if "<" not in text:
        return None
    opened: re.Match[str] | None = None
    closed: list[tuple[re.Match[str], re.Match[str]]] = []
    for found in _TAG.finditer(text):
        if not found[1]:
            opened = found
        elif opened is not None:
            closed.append((opened, found))
            opened = None
    if opened is not None:
        return NoAnswer("unclosed_tag", "the final <answer> is not closed", opened.span())
    if not closed:
        return None
    for first, last in closed[: -MOST_DENIED - 1 : -1]:
        if not is_denied(text, first.start(), last.end()):
            return _tagged(text, (first.end(), last.start()))
    return Denied(closed[-1][1].end())


def _tagged(text: str, span: tuple[int, int]) -> Answer | NoAnswer:
    if span[1] - span[0] > LONGEST:
        return NoAnswer("answer_too_long", f"the final <answer> holds more than {LONGEST} characters", span)
    inner = text[slice(*span)]
    if not inner.strip():
        return NoAnswer("empty_answer", "the final <answer> is empty", span)
    return _within(inner, span)


def _within(inner: str, span: tuple[int, int]) -> Answer | NoAnswer:
    found: Answer | NoAnswer | Denied | None = find_boxed(inner)
    if found is None and len(inner) <= SAID and _ANNOUNCED.match(inner):
        found = marker(inner)
    if isinstance(found, Denied):
        return NoAnswer("denied_answer", DENIED, span)
    if isinstance(found, NoAnswer):
        return NoAnswer(found.reason_code, found.reason, span)
    if found is None or found.span is None:
        start, end = _bare(inner)
        return Answer(inner[start:end], RULE, (span[0] + start, span[0] + end))
    return Answer(
        found.text,
        RULE,
        (span[0] + found.span[0], span[0] + found.span[1]),
        found.parts,
        found.labels,
        found.candidates,
    )


def _bare(inner: str) -> tuple[int, int]:
    """Without white space and one pair of Markdown around the whole."""
    start = len(inner) - len(inner.lstrip())
    end = len(inner.rstrip())
    for mark in _MARKS:
        within = inner[start + len(mark) : end - len(mark)]
        if inner.startswith(mark, start) and inner.endswith(mark, start, end) and within.strip() and mark not in within:
            start, end = start + len(mark), end - len(mark)
            break
    blank = inner[start:end]
    return start + len(blank) - len(blank.lstrip()), end - len(blank) + len(blank.rstrip())
