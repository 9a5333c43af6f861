"""``grader``: a grader object of OpenAI's graders API, as a verifier.

``metadata.item`` is the item, the response the model's sample. Everything that OpenAI's answer has is in the verdict's
evidence: ``app.protocols.graders.openai`` renders it. Not covered: ``cosine``, ``meteor``, images and sounds.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from judges.asking.usage import total
from judges.base import Models, ModelVerifier, SandboxUnavailable, UnknownModel
from judges.failure_verdicts import judge_task
from judges.grader.grade import Grade
from judges.grader.label_model import LabelModel
from judges.grader.multi import Multi
from judges.grader.python import PythonGrader
from judges.grader.score_model import ScoreModel
from judges.grader.string_check import StringCheck
from judges.grader.subject import Subject, Unfit
from judges.grader.text_similarity import TextSimilarity
from judges.judge import sample_of
from judges.questions import Answer, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Example, Params, Task
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.scope import Scope

AnyGrader = Annotated[
    StringCheck | TextSimilarity | PythonGrader | ScoreModel | LabelModel | Multi, Field(discriminator="type")
]
_EQUAL = StringCheck(
    type="string_check",
    name="equal",
    input="{{ sample.output_text }}",
    reference="{{ item.answer }}",
    operation="eq",
)


class GraderParams(Params):
    grader: AnyGrader = Field(
        _EQUAL, description="a grader object, as OpenAI's API takes it; by default the sample is to be `item.answer`"
    )
    scope: Scope = Field(
        Scope.RESPONSE,
        description="what `sample.output_text` is: the whole response, or the `answer` after the thinking, the "
        "`thinking`, or the `final` answer alone",
    )


class GraderVerifier(ModelVerifier[GraderParams]):
    """A number without a pass line is ``scored``; a range may be any, so scores have no bounds."""

    name: ClassVar[str] = "grader"
    version: ClassVar[str] = "8"
    summary: ClassVar[str] = "A grader of OpenAI's API: checks, similarities, models, Python, formulas"
    scale: ClassVar[Scale] = "unbounded"
    deterministic: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    Params: ClassVar[type[Params]] = GraderParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="4", metadata={"item": {"answer": "4"}}), outcome="correct"),
        Example(sample=Sample(response="4"), outcome="abstained"),
        Example(sample=Sample(response=""), outcome="invalid"),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return self.params.grader.models

    def place(self, model: str) -> str:
        """The parameter that names a model."""
        grader = self.params.grader
        if isinstance(grader, Multi):
            name = next(name for name, part in grader.graders.items() if model in part.models)
            return f"grader.graders.{name}.model"
        return "grader.model"

    def triage(self, sample: Sample) -> Verdict | Task:
        found = super().triage(sample)
        if isinstance(found, Verdict):
            return found
        try:
            self._subject(sample)
        except Unfit as unfit:
            return Verdict.invalid(unfit.reason_code, unfit.reason)
        return found

    async def execute(self, task: Task, models: Models) -> Verdict:
        try:
            subject = self._subject(sample_of(task))
        except Unfit as unfit:
            # triage let the sample pass: this is a harmless response in its place, of which nothing can be learnt
            raise Abstain("no_probe", f"nothing is known of the judge: {unfit}") from unfit
        try:
            return verdict_of(await self.params.grader.grade(subject, models))
        except Unfit as unfit:
            return Verdict.invalid(unfit.reason_code, unfit.reason)

    def with_response(self, task: Task, response: str) -> Task | None:
        """In the form of the response that there is: a grader that reads JSON must find some."""
        sample = sample_of(task)
        subject = self._subject(sample).saying(response)
        said = {"output_tools": subject.tools, "choices": subject.choices}
        metadata = {**(sample.metadata or {}), "sample": said}
        fields = sample.model_dump(exclude=set(Sample.identity))
        instead = {"response": subject.text, "reasoning": None, "prefix": None, "metadata": metadata}
        return json.dumps({**fields, **instead})

    def check(self, task: Task) -> Verdict:
        """A grader that asks no model needs no service."""
        return super().check(task) if self.models else asyncio.run(judge_task(self, task, Nobody()))

    def _subject(self, sample: Sample) -> Subject:
        subject = Subject.of(sample, self.params.scope)
        self.params.grader.check(subject)
        return subject


class Nobody:
    """As ``Models``, where there is no service."""

    def entry(self, name: str) -> ModelEntry:
        raise UnknownModel("models have names in a running service: ask it, or judges.standalone")

    async def ask(self, name: str, question: Question) -> Answer:
        raise UnknownModel("models have names in a running service: ask it, or judges.standalone")

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise SandboxUnavailable("graders in Python need a running service: there is no sandbox here")


def verdict_of(grade: Grade) -> Verdict:
    """``reward`` is in the evidence also where a line was drawn."""
    evidence: dict[str, JsonValue] = {**grade.evidence, "reward": grade.reward}
    if grade.parts:
        evidence["sub_rewards"] = dict(grade.parts)
    if grade.usage:
        evidence["usage"] = total(grade.usage.values()).evidence
        evidence["models"] = {model: usage.evidence for model, usage in grade.usage.items()}
    if grade.passed is None:
        return Verdict.scored(grade.reward, "graded", grade.reason, evidence=evidence)
    make, code = (Verdict.correct, "passed") if grade.passed else (Verdict.incorrect, "failed")
    return make(code, grade.reason, evidence=evidence)
