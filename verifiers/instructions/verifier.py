"""``instructions``: does the response follow constraints on how it is written?

After IFEval (Zhou et al. 2023, arXiv 2311.07911): counts, keywords, layout, casing, beginnings and ends, judged on
the response after its thinking. Each constraint is measured by itself. Not covered: what needs a model
(the language of the response), and whether the response is any good.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from pydantic import Field, JsonValue

from trueward.types import Lane, Sample, Scale, Verdict
from trueward.verifier import Example, Params, SampleVerifier, Task
from verifiers.extract import NoAnswer
from verifiers.instructions.constraint import Constraint, Finding
from verifiers.instructions.loose import readings
from verifiers.instructions.reference import constraints
from verifiers.scope import Scope, scoped

INLINE = 5_000
"""Characters of a response that is judged at once; a longer one goes to a worker."""

_BULLETS: dict[str, JsonValue] = {"id": "detectable_format:number_bullet_lists", "kwargs": {"num_bullets": 2}}
_NO_COMMA: dict[str, JsonValue] = {"id": "punctuation:no_comma"}


class InstructionsParams(Params):
    loose: bool = Field(
        default=False,
        description="accept a constraint also where it holds without the first line, the last line or asterisks",
    )
    all_or_nothing: bool = Field(
        default=False, description="`incorrect` unless every constraint is followed, instead of `partial`"
    )


class _Result(NamedTuple):
    constraint: Constraint
    finding: Finding


class InstructionsVerifier(SampleVerifier[InstructionsParams]):
    name: ClassVar[str] = "instructions"
    summary: ClassVar[str] = "Constraints on how the response is written, in the style of IFEval"
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    Params: ClassVar[type[Params]] = InstructionsParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(response="* salt\n* pepper", reference={"constraints": [_BULLETS, _NO_COMMA]}),
            outcome="correct",
        ),
        Example(
            sample=Sample(response="* salt, really\n* pepper, too", reference={"constraints": [_BULLETS, _NO_COMMA]}),
            outcome="partial",
        ),
        Example(
            sample=Sample(
                response="In short: no.",
                reference={
                    "instruction_id_list": ["length_constraints:number_words"],
                    "kwargs": [{"num_words": 100, "relation": "at least"}],
                },
            ),
            outcome="incorrect",
        ),
        Example(
            sample=Sample(response="<think>Without commas", reference={"constraints": [_NO_COMMA]}), outcome="invalid"
        ),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        return self._guarded(sample) if len(sample.response_text) <= INLINE else super().triage(sample)

    def verify_one(self, sample: Sample) -> Verdict:
        wanted = [constraints(reference) for reference in sample.references]
        answer = scoped(sample, Scope.ANSWER)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        return self._verdict(max((self._results(one, answer.text) for one in wanted), key=_share))

    def _results(self, wanted: list[Constraint], text: str) -> list[_Result]:
        return [_Result(constraint, self._finding(constraint, text)) for constraint in wanted]

    def _finding(self, constraint: Constraint, text: str) -> Finding:
        """The finding in the response as it stands, unless another accepted reading follows the constraint."""
        strict = constraint.check(text)
        if strict.followed or not self.params.loose:
            return strict
        loose = (constraint.check(reading) for reading in readings(text))
        return next((finding for finding in loose if finding.followed), strict)

    def _verdict(self, results: list[_Result]) -> Verdict:
        evidence: dict[str, JsonValue] = {
            "constraints": [
                {"id": result.constraint.id, "followed": result.finding.followed, "found": result.finding.found}
                for result in results
            ]
        }
        broken = [f"{one.constraint.id} ({one.finding.found})" for one in results if not one.finding.followed]
        said = f"{len(results) - len(broken)} of {len(results)} constraints are followed"
        if not broken:
            return Verdict.correct("all_followed", said, evidence=evidence)
        said = f"{said}; not {', '.join(broken)}"[:500]
        if self.params.all_or_nothing or len(broken) == len(results):
            return Verdict.incorrect("not_followed", said, evidence=evidence)
        return Verdict.partial(_share(results), "some_followed", said, evidence=evidence)


def _share(results: list[_Result]) -> float:
    return sum(result.finding.followed for result in results) / len(results)
