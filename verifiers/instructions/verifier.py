"""``instructions``: does the response follow constraints on how it is written?

The constraints of IFEval (Zhou et al. 2023, arXiv 2311.07911) and, with its training set, of IFBench (Pyatkin et al.
2025, arXiv 2507.02833), judged on the response after its thinking; of a conversation, on the policy's last message.
Each constraint is measured by itself. Not covered: the language of the response, and whether it is any good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Example, Params, SampleVerifier, Task, Text
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract import Answer, NoAnswer
from verifiers.instructions.catalogue import CONSTRAINTS, REVISED
from verifiers.instructions.constraint import Constraint, Finding
from verifiers.instructions.reference import InstructionRow, Items, constraints
from verifiers.legible import legible
from verifiers.scope import Scope, extract_scope

INLINE = 2_000
"""Characters of a response that is judged at once; a longer one goes to a worker."""

_BULLETS: dict[str, JsonValue] = {"id": "detectable_format:number_bullet_lists", "kwargs": {"num_bullets": 2}}
_NO_COMMA: dict[str, JsonValue] = {"id": "punctuation:no_comma"}


class InstructionsParams(Params):
    loose: bool = Field(
        default=False,
        description="accept a constraint also where it holds without the first line, the last line or asterisks",
    )
    revised: bool = Field(
        default=False,
        description="judge IFBench as its repository does today, where that differs from the checker of its results",
    )
    all_or_nothing: bool = Field(
        default=False, description="`incorrect` unless every constraint is followed, instead of `partial`"
    )


class _Result(NamedTuple):
    constraint: Constraint
    finding: Finding


class InstructionsVerifier(SampleVerifier[InstructionsParams]):
    name: ClassVar[str] = "instructions"
    version: ClassVar[str] = "2"
    summary: ClassVar[str] = "Constraints on how the response is written: IFEval, IFBench, IF-RLVR"
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = Items | InstructionRow | Text
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
        catalogue = REVISED if self.params.revised else CONSTRAINTS
        wanted = [constraints(reference, catalogue) for reference in sample.references]
        answer = read_response(sample)
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


def readings(text: str) -> Iterator[str]:
    """The readings of a response that the loose mode accepts, as IFEval has them, each once; blank ones are left out.

    The response as it stands, without its first line, without its last, without both; each also without asterisks. They
    forgive an introduction ("Sure, here it is:"), a closing remark and Markdown emphasis.
    """
    lines = text.split("\n")
    whole = [text, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    distinct = dict.fromkeys([*whole, *(reading.replace("*", "") for reading in whole)])
    return (reading for reading in distinct if reading.strip())


def read_response(sample: Sample) -> Answer | NoAnswer:
    """What constraints are judged on: the response, or the policy's last message of a conversation, without thinking.

    White space at the ends is part of it, as for the official checkers, unless thinking was cut off there.
    """
    if isinstance(sample.response, list):
        last = [message for message in sample.response if message.is_policy][-1:]
        sample = sample.model_copy(update={"response": last})
    answer = extract_scope(sample, Scope.ANSWER)
    whole = legible(sample.response_text)
    if isinstance(answer, Answer) and whole.strip() == answer.text:
        return replace(answer, text=whole)
    return answer
