r"""The final sentence or line that has a box: which of its boxes are one answer in parts, and which are candidates.

A passage ends at a blank line, and at the end of a sentence that is also the end of a line. Of boxes that are not
side by side the last counts.
"""

from __future__ import annotations

import re

from verifiers.extract.answer import Answer
from verifiers.extract.braces import Box
from verifiers.extract.parts import answer_of, label, side_by_side

RULE = "boxed"
MOST = 64
"""Boxes of one passage that are looked at, from its end."""
FARTHEST = 2_000
"""Characters between two boxes of one passage."""

_BREAK = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"[.!?][*_)\"'$]{0,4}\s|[。।]")


def passage(text: str, boxes: list[Box]) -> Answer:
    """The answer that ends in the last of the boxes, which are in order and at least one."""
    joined, count = _extent(text, boxes[-MOST:])
    candidates = tuple(inner for box in boxes[-count:] if (inner := _inner(text, box)))
    group = [box for box in boxes[-joined:] if _inner(text, box)]
    labels = tuple(label(text, box.start) for box in group) if len(group) > 1 else ()
    return answer_of(text, RULE, [(box.inner, box.inner_end) for box in group], labels, candidates)


def _extent(text: str, boxes: list[Box]) -> tuple[int, int]:
    """How many of the last boxes are side by side, and how many the passage has."""
    beside = count = 1
    joined = same_line = same_sentence = True
    for before, after in zip(boxes[-2::-1], boxes[:0:-1], strict=True):
        if after.start - before.end > FARTHEST:
            break
        gap = text[before.end : after.start]
        if _BREAK.search(gap):
            break
        joined = joined and side_by_side(text, before.end, after.start)
        same_line = same_line and "\n" not in gap
        same_sentence = same_sentence and not _SENTENCE_END.search(gap)
        if not (joined or same_line or same_sentence):
            break
        beside += joined
        count += 1
    return beside, count


def _inner(text: str, box: Box) -> str:
    return text[box.inner : box.inner_end].strip()
