"""``stated_confidence``: how sure the response says that it is, in [0, 1].

For rewards that price a stated confidence (PPO-C, arXiv 2410.09724), whose prompts ask for one at the end of the
response. The statement is the end of the text: ``Confidence: 8/10``, ``Confidence: 85%``, ``<confidence>high
</confidence>``, ``I am 90% sure.``. Without one the score is 0.5, which prices nothing. The outcome is ``scored``: the
number has no pass line. A recipe that has this verifier shows the other verifiers the response without its statement
(:meth:`StatedConfidenceVerifier.split_statement`).

Not covered: how sure the reasoning sounds, statements before the end, other languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Example, Params, SampleVerifier
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.legible import legible, shorten

ABSENT = 0.5
Share = Annotated[float, Field(ge=0, le=1)]
METADATA = "stated_confidence"
"""Key of the sample's metadata under which the service keeps a statement that it took off the response."""

WORDS: Mapping[str, float] = {
    "none": 0.0,
    "very low": 0.1,
    "low": 0.25,
    "medium": 0.5,
    "moderate": 0.5,
    "high": 0.75,
    "very high": 0.9,
    "certain": 1.0,
}

_LONGEST = 200
"""Characters that a statement is looked for in, from the end."""

_BEGIN = r"(?:^|(?<=[\s.!?)\]}>]))"
_MARK = r"[*_`~ \t]{0,8}"
_DIGITS = r"\d{1,4}(?:\.\d{1,4})?"
_NUMBER = rf"(?P<number>{_DIGITS})(?:[ \t]{{0,4}}(?:(?P<percent>%|percent)|(?:/|out of)[ \t]{{0,4}}(?P<of>\d{{1,4}})))?"
_VALUE = rf"(?:{_NUMBER}|(?P<word>[a-z]+(?:[ \t]+[a-z]+)?))"
_TAG = rf"<confidence>\s{{0,8}}{_VALUE}\s{{0,8}}</confidence>\s*\Z"
_LINE = (
    rf"{_BEGIN}{_MARK}(?:my[ \t]+)?confidence(?:[ \t]+(?:level|score|rating))?{_MARK}(?:[:=]|\bis\b)"
    rf"{_MARK}{_VALUE}{_MARK}[.!]?{_MARK}\s*\Z"
)
_SENTENCE = (
    rf"{_BEGIN}i(?:['’]m| am)[ \t]+(?:about[ \t]+)?(?P<number>{_DIGITS})[ \t]{{0,4}}(?P<percent>%|percent)[ \t]+"
    r"(?:confident|sure|certain)(?:[ \t]+(?:in|of|about)[ \t]+(?:this|my|the)[ \t]+answer)?[.!]?\s*\Z"
)
_STATEMENTS = tuple(re.compile(form, re.IGNORECASE) for form in (_TAG, _LINE, _SENTENCE))


class Statement(NamedTuple):
    """What stands at the end of a text: ``start`` is where, ``found`` what it says; one of its numbers is set."""

    start: int
    text: str
    number: float | None = None
    out_of: float | None = None
    word: str | None = None


def statement_of(text: str, words: Mapping[str, float] = WORDS) -> Statement | None:
    """The statement that ends a text: a number, or one of the words. Looks at its last 200 characters alone."""
    bare = text.rstrip()
    begin = max(len(bare) - _LONGEST, 0)
    for form in _STATEMENTS:
        found = form.search(bare, begin)
        if found is None:
            continue
        parts = found.groupdict()
        number = None if parts["number"] is None else float(parts["number"])
        out_of = 100.0 if parts["percent"] else float(parts["of"]) if parts.get("of") else None
        word = parts.get("word")
        told = None if word is None else " ".join(word.casefold().split())
        if told is not None and told not in words:
            continue
        return Statement(found.start(), found.group().strip(), number, out_of, told)
    return None


class StatedConfidenceParams(Params):
    out_of: Literal[1, 10, 100] = Field(10, description="what a bare number is out of: `Confidence: 8`")
    words: Mapping[str, Share] = Field(
        WORDS, max_length=64, description="what words mean, in lower case; others are no statement"
    )


class StatedConfidenceVerifier(SampleVerifier[StatedConfidenceParams]):
    name: ClassVar[str] = "stated_confidence"
    summary: ClassVar[str] = "The confidence that the response itself states at its end"
    scale: ClassVar[Scale] = "graded"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = None
    Params: ClassVar[type[Params]] = StatedConfidenceParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="It is 42.\nConfidence: 9/10"), outcome="scored"),
        Example(sample=Sample(response="It is 42."), outcome="scored"),
        Example(sample=Sample(response=" "), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        kept = (sample.metadata or {}).get(METADATA)
        found = statement_of(kept if isinstance(kept, str) else legible(sample.response_text), self.params.words)
        if found is None:
            return _absent("not_stated", "the response does not end with a confidence")
        value = self._value(found)
        if value is None:
            return _absent("out_of_scale", f"the number is beyond its scale: {shorten(found.text)}", found)
        evidence: dict[str, JsonValue] = {"statement": shorten(found.text), "stated": True}
        return Verdict.scored(value, "stated", f"it states {value:.4g}", evidence=evidence)

    def _value(self, found: Statement) -> float | None:
        """None for a number beyond its scale."""
        if found.number is None:
            return self.params.words[found.word or ""]
        out_of = found.out_of if found.out_of is not None else float(self.params.out_of)
        return found.number / out_of if found.number <= out_of > 0 else None

    def split_statement(self, sample: Sample) -> Sample:
        """The sample without the statement at its response's end, which moves to ``metadata.stated_confidence``.

        The same sample where there is none. Positions in the response stay what they were.
        """
        response = sample.response
        last = response[-1] if isinstance(response, list) and response and response[-1].is_policy else None
        text = last.content if last is not None else response
        found = statement_of(text, self.params.words) if isinstance(text, str) else None
        if found is None or not isinstance(text, str):
            return sample
        bare: str | list[Message] = text[: found.start].rstrip()
        if isinstance(response, list) and last is not None:
            bare = [*response[:-1], last.model_copy(update={"content": bare})]
        metadata = {**(sample.metadata or {}), METADATA: found.text}
        return sample.model_copy(update={"response": bare, "metadata": metadata})


def _absent(reason_code: str, reason: str, found: Statement | None = None) -> Verdict:
    evidence: dict[str, JsonValue] = {"statement": shorten(found.text) if found else None, "stated": False}
    return Verdict.scored(ABSENT, reason_code, reason, evidence=evidence)
