"""``format``: does the response consist of the wanted sections, each in its tag, once, in order, and nothing else?

``<think>...</think><answer>...</answer>`` (DeepSeek-R1, Guo et al. 2025) or any other list of tags. A tag is
matched as written, in its case and without attributes. Where the chat template wrote the first opening tag
(``prefix``), the response need not repeat it; where the server took the thinking out (``reasoning``), its section is
not looked for. Not covered: what the sections say.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from trueward.authoring.verifier import Example, Params, SampleVerifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.legible import legible

_THINKING = frozenset(("think", "thinking"))
_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing: fillers of Hangul, the blank of Braille."""

Tag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][\w.-]{0,63}$")]


class FormatParams(Params):
    tags: Annotated[tuple[Tag, ...], Field(min_length=1, max_length=16)] = Field(
        default=("think", "answer"), description="the names of the sections' tags, in order"
    )
    allow_empty: bool = Field(default=False, description="accept sections that hold nothing that can be read")

    @model_validator(mode="after")
    def _each_tag_once(self) -> Self:
        if len(set(self.tags)) < len(self.tags):
            raise ValueError("each tag may be named once")
        return self


class FormatVerifier(SampleVerifier[FormatParams]):
    name: ClassVar[str] = "format"
    version: ClassVar[str] = "2"
    summary: ClassVar[str] = "Sections in tags, each exactly once and in order, with nothing outside"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = None
    Params: ClassVar[type[Params]] = FormatParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="<think>6 * 7</think>\n<answer>42</answer>"), outcome="correct"),
        Example(sample=Sample(response="<think>6 * 7</think>\n42"), outcome="incorrect"),
        Example(
            sample=Sample(response="6 * 7</think><answer>42</answer>", prefix="<|assistant|><think>\n"),
            outcome="correct",
        ),
        Example(
            sample=Sample(response="<plan>add</plan><code>1 + 1</code>"),
            params={"tags": ["plan", "code"]},
            outcome="correct",
        ),
    )

    def __init__(self, params: FormatParams | None = None) -> None:
        super().__init__(params)
        self._tag = re.compile(f"<(/?)({'|'.join(map(re.escape, self.params.tags))})>")

    def verify_one(self, sample: Sample) -> Verdict:
        tags = list(self.params.tags)
        if sample.reasoning is not None and tags[0] in _THINKING:
            if not _filled(sample.reasoning, tags[0]) and not self.params.allow_empty:
                return _failed("empty_section", f"<{tags[0]}> is empty", tags[0])
            del tags[0]
        text = legible(sample.response_text)
        if tags and self._opens(sample.prefix, tags[0]):
            text = f"<{tags[0]}>{text}"
        return self._judged(text, tags)

    def _opens(self, prefix: str | None, tag: str) -> bool:
        """Whether a generation prefix ends inside the first section."""
        last = [(found[1], found[2]) for found in self._tag.finditer(prefix or "")][-1:]
        return last == [("", tag)]

    def _judged(self, text: str, tags: list[str]) -> Verdict:
        found = list(self._tag.finditer(text))
        wanted = [mark for tag in tags for mark in (f"<{tag}>", f"</{tag}>")]
        marks = [match[0] for match in found]
        if marks != wanted:
            return _misplaced(marks, wanted)
        for index, tag in enumerate(tags):
            inner = text[found[2 * index].end() : found[2 * index + 1].start()]
            if not _filled(inner, tag) and not self.params.allow_empty:
                return _failed("empty_section", f"<{tag}> is empty", tag)
        edges = [0, *(position for match in found for position in match.span()), len(text)]
        outside = "".join(text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 4))
        if outside.strip():
            return _failed("text_outside", "there is text outside the sections", outside.strip()[:80])
        return Verdict.correct("well_formed", "each section is there once, in order, with nothing outside")


def _filled(text: str, tag: str) -> bool:
    """Whether a section holds a letter or a digit of any script; but for thinking, a sign will do (``∞``)."""
    if any(mark.isalnum() for mark in text if mark not in _UNSEEN):
        return True
    return tag not in _THINKING and any(unicodedata.category(mark)[0] in "PS" for mark in text if mark not in _UNSEEN)


def _misplaced(marks: list[str], wanted: list[str]) -> Verdict:
    for mark in wanted:
        if mark not in marks:
            return Verdict.incorrect("missing_tag", f"{mark} is missing", evidence={"missing": mark})
    for mark in dict.fromkeys(marks):
        if mark not in wanted:
            return _failed("extra_tag", f"{mark} does not belong here", mark)
        if marks.count(mark) > 1:
            return _failed("repeated_tag", f"{mark} is there {marks.count(mark)} times", mark)
    return _failed("wrong_order", "the tags are not in order", " ".join(marks))


def _failed(code: str, reason: str, found: JsonValue) -> Verdict:
    return Verdict.incorrect(code, reason, evidence={"found": found})
