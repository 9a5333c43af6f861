"""A reward function as many projects have one, and the same as a verifier: the last number of a response counts."""

import re
from typing import ClassVar

from trueward import Abstain, Example, Params, Sample, SampleVerifier, Verdict
from trueward.wire.verifier import Lane

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def reward(response: str, reference: str) -> float:
    """The function as it was before: 1.0 or 0.0."""
    found = NUMBER.findall(response)
    return float(bool(found) and abs(float(found[-1]) - float(reference)) < 0.01)


class LastNumber(SampleVerifier[Params]):
    name: ClassVar[str] = "last_number"
    summary: ClassVar[str] = "The last number of the response equals the reference"
    lane: ClassVar[Lane] = "cpu"
    Reference = str
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="so it is 42", reference="42"), outcome="correct"),
        Example(sample=Sample(response="so it is 41", reference="42"), outcome="incorrect"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        if not isinstance(sample.reference, str) or not NUMBER.fullmatch(sample.reference):
            raise Abstain("reference_type", "the reference is a number, as text")
        found = NUMBER.findall(sample.response_text)
        evidence = {"extracted": found[-1]} if found else {}
        if reward(sample.response_text, sample.reference) == 1.0:
            return Verdict.correct("same_number", "the last number is the reference", evidence=evidence)
        return Verdict.incorrect("other_number", "the last number is not the reference", evidence=evidence)
