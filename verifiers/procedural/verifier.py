"""``procedural``: the tasks of the reasoning-gym library, judged by the library's own scorers in killable workers.

A full score is ``correct``, none ``incorrect``, anything between ``partial`` with that score: the library gives some
wrong answers a hundredth or a twentieth for their form. An entry is not judged whose own answer does not get the full
score as it arrived (JSON has no tuples), or for which nonsense does. Not covered: data sets whose scorers would run the
answer (:mod:`verifiers.procedural.tasks`).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.legible import shorten
from verifiers.procedural.reference import ProceduralReference, Reference, reference

LONGEST = 10_000
"""Characters of an answer; several scorers are quadratic in it."""


class ProceduralParams(Params):
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; any other value is that rule alone",
    )


class Scoring(NamedTuple):
    answer: str
    rule: str
    references: tuple[Reference, ...]


class ProceduralVerifier(SampleVerifier[ProceduralParams]):
    name: ClassVar[str] = "procedural"
    version: ClassVar[str] = "7"
    summary: ClassVar[str] = "Procedural tasks of reasoning-gym, by the library's own scorers (extra)"
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = ProceduralReference
    Params: ClassVar[type[Params]] = ProceduralParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response="<answer>1,042.0</answer>",
                reference={"dataset": "chain_sum", "answer": "1042", "metadata": {}},
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(
                response="<answer>41</answer>", reference={"dataset": "chain_sum", "answer": "42", "metadata": {}}
            ),
            outcome="incorrect",
        ),
        Example(
            sample=Sample(
                response="<answer>24</answer>", reference={"dataset": "puzzle24", "answer": "24", "metadata": {}}
            ),
            outcome="abstained",
        ),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        references = tuple(reference(value) for value in sample.references)
        answer = extract(sample, self.params.extract)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        if len(answer.text) > LONGEST:
            return Verdict.invalid("answer_too_long", f"an answer holds at most {LONGEST} characters")
        return Scoring(answer.text, answer.rule, references)

    def prepare(self, task: Task) -> None:
        from verifiers.procedural.library import doubt

        assert isinstance(task, Scoring)
        for one in task.references:
            try:
                found = doubt(one)
            except (MemoryError, RecursionError):
                raise
            except Exception as failure:  # the library fails in undeclared ways on what the caller sent
                reason = f"{one.dataset} does not take this entry or config: {type(failure).__name__}: {failure}"
                raise Abstain("reference_unparsable", reason[:300]) from failure
            if found is not None:
                raise Abstain("unjudgeable_entry", f"the scorer of {one.dataset} {found}")

    def check(self, task: Task) -> Verdict:
        from verifiers.procedural.library import VERSION, Unscorable, score

        assert isinstance(task, Scoring)
        evidence: dict[str, JsonValue] = {"extracted": shorten(task.answer), "rule": task.rule, "library": VERSION}
        found: list[tuple[float, str]] = []
        failure = ""
        for one in task.references:
            try:
                found.append((score(one, task.answer), one.dataset))
            except Unscorable as refusal:
                failure = str(refusal)
        if not found:
            return Verdict.invalid("unscorable", failure, evidence=evidence)
        best, dataset = max(found)
        evidence["dataset"] = dataset
        if best == 1:
            return Verdict.correct("full_score", f"the scorer of {dataset} gives 1", evidence=evidence)
        if best == 0:
            return Verdict.incorrect("no_score", f"the scorer of {dataset} gives 0", evidence=evidence)
        return Verdict.partial(best, "partial_score", f"the scorer of {dataset} gives {best:g}", evidence=evidence)
