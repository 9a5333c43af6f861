"""``length``: how long is the response, in characters, words or tokens?

A number without a pass line: the outcome is ``scored``, and what a length is worth is the recipe's to say.
Characters are Unicode code points, words what white space separates; tokens are those that the trainer counted
(``tokens``, ``token_ids`` or ``logprobs``), never an estimate. Not covered: words of languages without blanks.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.extract import NoAnswer
from verifiers.scope import Scope, extract_scope


class LengthParams(Params):
    unit: Literal["characters", "words", "tokens"] = Field(
        default="characters",
        description="what is counted: `characters`, `words`, or the trainer's own `tokens` of the whole response",
    )
    scope: Scope = Field(
        default=Scope.RESPONSE,
        description="where it is counted: the whole `response`, the `thinking`, the `answer` after it, "
        "or the `final` answer alone",
    )

    @model_validator(mode="after")
    def _tokens_of_the_whole(self) -> Self:
        if self.unit == "tokens" and self.scope is not Scope.RESPONSE:
            raise ValueError("tokens are known for the whole response alone: leave scope at 'response'")
        return self


class LengthVerifier(SampleVerifier[LengthParams]):
    name: ClassVar[str] = "length"
    summary: ClassVar[str] = "Length of the response in characters, words or tokens"
    scale: ClassVar[Scale] = "unbounded"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = None
    Params: ClassVar[type[Params]] = LengthParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="It is 42."), outcome="scored"),
        Example(sample=Sample(response="It is 42.", tokens=5), params={"unit": "tokens"}, outcome="scored"),
        Example(sample=Sample(response="It is 42."), params={"unit": "tokens"}, outcome="abstained"),
        Example(
            sample=Sample(response="<think>six times seven</think>42"),
            params={"unit": "words", "scope": "thinking"},
            outcome="scored",
        ),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        unit = self.params.unit
        if unit == "tokens":
            return _counted(_tokens(sample), unit, Scope.RESPONSE)
        part = extract_scope(sample, self.params.scope)
        if isinstance(part, NoAnswer):
            return Verdict.invalid(part.reason_code, part.reason)
        count = len(part.text) if unit == "characters" else len(part.text.split())
        return _counted(count, unit, self.params.scope)


def _tokens(sample: Sample) -> int:
    count = sample.count_tokens()
    if count is None:
        raise Abstain("no_tokens", "the sample says neither how many tokens the response has nor which")
    return count


def _counted(count: int, unit: str, scope: Scope) -> Verdict:
    return Verdict.scored(
        float(count), "length", f"{count} {unit}", evidence={"count": count, "unit": unit, "scope": scope}
    )
