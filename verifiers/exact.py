"""``exact``: is the final answer the reference, character for character after stated normalisations?

Always NFC and trimmed. Case, blanks and punctuation are normalised only where a parameter says so. Not
covered: synonyms, numbers in other spellings (``math``), overlap measures.
"""

from __future__ import annotations

import unicodedata
from typing import Any, ClassVar

from pydantic import Field, JsonValue, StrictBool

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, TextOrNumber
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.extract import Answer, Hedge, NoAnswer, Policy, extract, settle
from verifiers.extract.dress import unwrap_latex, unwrap_markdown
from verifiers.legible import legible, shorten


class ExactParams(Params):
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; `whole` takes it at once; any other value is that rule alone",
    )
    hedge: Hedge = Field(
        default=Hedge.PARTS,
        description="three or more different boxes in the final sentence are hedged, unless they are side by side and "
        "a reference is a list with commas; `strict`: always; `last`: the last box counts",
    )
    casefold: bool = Field(default=False, description="compare without regard to case")
    collapse_whitespace: bool = Field(default=True, description="runs of white space count as one blank")
    ignore_punctuation: bool = Field(default=False, description="leave Unicode punctuation out of both sides")


class ExactVerifier(SampleVerifier[ExactParams]):
    name: ClassVar[str] = "exact"
    version: ClassVar[str] = "9"
    summary: ClassVar[str] = "String equality of the final answer and the reference"
    Reference: ClassVar[Any] = TextOrNumber | StrictBool
    Params: ClassVar[type[Params]] = ExactParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(prompt="Capital of France?", response="Answer: Paris", reference="Paris"),
            outcome="correct",
        ),
        Example(
            sample=Sample(response="PARIS", reference=["Paris", "City of Light"]),
            outcome="correct",
            params={"casefold": True},
        ),
        Example(sample=Sample(response="<answer>Lyon</answer>", reference="Paris"), outcome="incorrect"),
        Example(sample=Sample(response="<answer>Paris", reference="Paris"), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        references = [_text(value) for value in sample.references]
        answer = extract(sample, self.params.extract)
        if isinstance(answer, Answer):
            several = any("," in text for text in references)
            answer = settle(answer, self.params.hedge, several=several, equal=self._equal)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        given = self._normal(unwrap_latex(answer.text) if answer.rule == "boxed" else answer.text)
        evidence: dict[str, JsonValue] = {
            "extracted": shorten(answer.text),
            "rule": answer.rule,
            "answer": shorten(given),
            "reference": [shorten(text) for text in references[:8]],
        }
        if not given:
            return Verdict.invalid("empty_answer", "nothing is left of the answer", evidence=evidence)
        wanted = {self._normal(text) for text in references}
        if given not in wanted and answer.rule == "whole" and self.params.extract != Policy.WHOLE:
            bare = self._normal(unwrap_markdown(answer.text))
            if bare in {self._normal(unwrap_markdown(text)) for text in references}:
                wanted.add(bare)
                given, evidence["answer"] = bare, shorten(bare)
        if given in wanted:
            return Verdict.correct("equal_text", f"the answer is {shorten(given)[:80]!r}", evidence=evidence)
        return Verdict.incorrect("unequal_text", f"{shorten(given)[:80]!r} is not the reference", evidence=evidence)

    def _equal(self, one: str, other: str) -> bool:
        return self._normal(unwrap_latex(one)) == self._normal(unwrap_latex(other))

    def _normal(self, text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        if self.params.casefold:
            text = unicodedata.normalize("NFC", text.casefold())
        if self.params.ignore_punctuation:
            text = "".join(c for c in text if not unicodedata.category(c).startswith("P"))
        return " ".join(text.split()) if self.params.collapse_whitespace else text.strip()


def _text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _written(value)
    if not isinstance(value, str):
        raise Abstain("reference_type", f"a reference is a text or a number, not {type(value).__name__}")
    if not value.strip():
        raise Abstain("reference_unparsable", "a reference is empty")
    return legible(value)


def _written(value: float) -> str:
    try:
        return str(value)
    except ValueError as excess:
        raise Abstain("reference_too_large", "the reference has too many digits") from excess
