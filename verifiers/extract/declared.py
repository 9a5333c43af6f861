r"""The answer that a response sets apart: its last box or its last ``<answer>``, whichever ends later.

A box inside the tag is the tag's answer. So ``\boxed{3} ... <answer>5</answer>`` says 5.
"""

from __future__ import annotations

from verifiers.extract.answer import Answer, NoAnswer
from verifiers.extract.boxed import boxed
from verifiers.extract.tag import tag


def declared(text: str) -> Answer | NoAnswer | None:
    box, tagged = boxed(text), tag(text)
    if box is None or tagged is None:
        return box or tagged
    return tagged if _end(tagged) > _end(box) else box


def _end(found: Answer | NoAnswer) -> int:
    return found.span[1] if found.span else 0
