"""What a page shows of a sample."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trueward.wire.base import Wire


class Marked(Wire):
    """Characters ``start`` to before ``end`` of a passage."""

    start: int
    end: int


class Passage(Wire):
    """A stretch of one kind. ``start`` is its place in the part's plain text; null where it does not stand there.

    ``place`` is its place in the policy's own text, which spans count the characters of.
    """

    kind: Literal["text", "thinking", "data", "formula"]
    text: str
    start: int | None = None
    place: int | None = Field(None, exclude=True)
    closed: bool = Field(True, description="false for thinking that never ends")
    part: str = Field("", description="the part of the record that holds it, where it is another than its turn's")
    marks: list[Marked] = Field([])

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [(mark.start, mark.end) for mark in self.marks]


class ShownTurn(Wire):
    """One message, or a whole text without a role. ``policy``: the policy wrote it."""

    role: str
    policy: bool
    passages: list[Passage]


class TextChange(Wire):
    """A stretch of both texts, of the reference alone, or of the answer alone."""

    kind: Literal["same", "gone", "new"]
    text: str


class Extracted(Wire):
    """The answer that a verifier read out of the response. ``marked``: it was found there, and is marked.

    ``changes`` lead from the reference to it; empty where they are the same, are no texts, or are long.
    """

    by: str
    text: str
    marked: bool
    changes: list[TextChange] = Field([])


class ShownSample(Wire):
    """A sample, and what was read out of it. ``further``: turns of prompt and response that are not shown."""

    prompt: list[ShownTurn]
    response: list[ShownTurn]
    reference: Passage | None
    extracted: list[Extracted] = Field([])
    further_prompt: int = 0
    further_response: int = 0
