"""A verifier of one's own: is the response a palindrome that contains the word asked for?"""

from typing import ClassVar

from pydantic import Field

from trueward import Abstain, Example, Params, Sample, SampleVerifier, Verdict


class PalindromeParams(Params):
    longest: int = Field(default=200, ge=1, description="letters that a palindrome may have")


class PalindromeVerifier(SampleVerifier[PalindromeParams]):
    name: ClassVar[str] = "palindrome"
    summary: ClassVar[str] = "A palindrome that contains the reference"
    Params: ClassVar[type[Params]] = PalindromeParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="Never odd or even", reference="odd"), outcome="correct"),
        Example(sample=Sample(response="Always odd", reference="odd"), outcome="incorrect"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        if not isinstance(sample.reference, str):
            raise Abstain("reference_type", "the reference is the word that must occur")
        letters = [c for c in sample.response_text.lower() if c.isalnum()][: self.params.longest + 1]
        if not 0 < len(letters) <= self.params.longest:
            return Verdict.invalid("no_palindrome", "no letters, or too many")
        if letters == letters[::-1] and sample.reference.lower() in sample.response_text.lower():
            return Verdict.correct("palindrome", "it reads the same both ways and has the word")
        return Verdict.incorrect("not_palindrome", "it is no palindrome, or lacks the word")
