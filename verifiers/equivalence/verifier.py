"""``equivalence``: does an answer to an open question say what a reference says?

By words alone, where these decide: the same words, or a reference's words in an answer of a sentence or two, guarded
against denials, alternatives, lists and rival numbers; not a word in common is another answer. It abstains in between,
where a recipe's fallback asks a model. Not covered: synonyms and paraphrases, answers that are formulas (``math``) or
quantities with units (``quantity``), languages that set no blanks between words.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, TextOrNumber
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.equivalence.decide import Judgement, Question
from verifiers.extract import Answer, Policy, extract
from verifiers.legible import legible, shorten
from verifiers.scope import Scope, extract_scope

MOST, LONGEST = 1_000, 10_000
"""References of a sample, and characters of each."""

_PARIS = ["Paris", "Paris, France"]


class EquivalenceParams(Params):
    undecided: Literal["abstain", "incorrect"] = Field(
        default="abstain",
        description="what becomes of an answer that words alone do not decide: `abstain` leaves it to the recipe's "
        "fallback, `incorrect` is for recipes without one",
    )


class EquivalenceVerifier(SampleVerifier[EquivalenceParams]):
    name: ClassVar[str] = "equivalence"
    version: ClassVar[str] = "7"
    summary: ClassVar[str] = "Whether an answer to an open question says what a reference says, by rules"
    Reference: ClassVar[Any] = TextOrNumber
    Params: ClassVar[type[Params]] = EquivalenceParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                prompt="Which city is the capital of France?", response="The capital is Paris.", reference=[*_PARIS]
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(prompt="Which city is the capital of France?", response="It is Lyon.", reference=[*_PARIS]),
            outcome="incorrect",
        ),
        Example(
            sample=Sample(
                prompt="Which city is the capital of France?", response="Paris or Lyon, I think.", reference=[*_PARIS]
            ),
            outcome="abstained",
        ),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        question = Question(legible(sample.prompt_text), [_reference(value) for value in _values(sample)])
        if not question.references:
            raise Abstain("reference_unparsable", "no word is left of the references")
        whole = extract_scope(sample, Scope.ANSWER)
        if not isinstance(whole, Answer):
            return Verdict.invalid(whole.reason_code, whole.reason)
        final = extract(sample, Policy.TEXT)
        announced = isinstance(final, Answer) and final.rule != "whole"
        text = final.text if announced and isinstance(final, Answer) else whole.text
        judgement = question.judge(text)
        if announced and judgement.said == "open":
            text, judgement = whole.text, question.judge(whole.text)
        return self._verdict(judgement, text)

    def _verdict(self, judgement: Judgement, text: str) -> Verdict:
        evidence: dict[str, JsonValue] = {"extracted": shorten(text), "rule": judgement.why}
        if judgement.reference:
            evidence["reference"] = shorten(judgement.reference)
        match judgement.said:
            case "same" | "says":
                return Verdict.correct(
                    judgement.why, f"the answer says {shorten(judgement.reference)}", evidence=evidence
                )
            case "other":
                return Verdict.incorrect("other_answer", "nothing of a reference is in the answer", evidence=evidence)
            case "none":
                return Verdict.invalid("empty_answer", "no word is left of the answer", evidence=evidence)
        if self.params.undecided == "incorrect":
            return Verdict.incorrect("undecided", f"words do not decide: {judgement.why}", evidence=evidence)
        return Verdict.abstained("undecided", f"words do not decide: {judgement.why}", evidence=evidence)


def _values(sample: Sample) -> list[JsonValue]:
    if len(sample.references) > MOST:
        raise Abstain("reference_too_large", f"there are more than {MOST} references")
    return sample.references


def _reference(value: JsonValue) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise Abstain("reference_type", f"a reference is a text or a number, not {type(value).__name__}")
    if isinstance(value, int) and value.bit_length() > 13_000:
        raise Abstain("reference_too_large", "the reference has more than 3,900 digits")
    text = legible(str(value))
    if len(text) > LONGEST:
        raise Abstain("reference_too_large", f"a reference has more than {LONGEST} characters")
    return text
