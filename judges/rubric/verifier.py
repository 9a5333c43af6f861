"""``rubric``: criteria with weights, judged by a model one by one, all in one reply, or as a whole.

The preset says which of the three. The rubric is a parameter or comes with the sample (:mod:`judges.rubric.source`);
how its weights add up is its weight mode (:mod:`judges.rubric.aggregate`); what is told of it has a level
(:mod:`judges.rubric.evidence`).

Not covered: checklists over turns and tools (``checklist``), steps of a solution (``critique``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, ValidationError

from judges.base import Models
from judges.conclusion import JUDGED, conclude
from judges.judge import JudgeParams, JudgeVerifier, sample_of
from judges.presets import Mechanism, make_name_validator
from judges.rubric.aggregate import total
from judges.rubric.evidence import Level, Telling
from judges.rubric.judging import Findings, Judgement, Judging, OnParseError, Slots
from judges.rubric.marks import Mark
from judges.rubric.source import reference_of, rubric_of
from trueward.authoring.verifier import Example, Params, Task
from trueward.rubrics import Rubric, WeightMode, explain_refusal
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale


def _read(value: object) -> object:
    if value is None or isinstance(value, Rubric):
        return value
    try:
        return Rubric.of(value)  # type: ignore[arg-type]  # whatever it is, it is refused in words
    except ValidationError as refusal:
        raise ValueError(explain_refusal(refusal)) from None


class RubricParams(JudgeParams):
    preset: Annotated[str, AfterValidator(make_name_validator("criteria"))] = Field(
        "rubric_each", description="how criteria are asked about"
    )
    rubric: Annotated[Rubric | None, BeforeValidator(_read)] = Field(
        None, description="the rubric of every sample; default: `metadata.rubric`, or a rubric as the reference"
    )
    weight_mode: WeightMode | None = Field(
        None, description="for rubrics that come with samples; default: the rubric's"
    )
    on_parse_error: OnParseError = Field(
        "renormalise",
        description="a criterion without a readable reply is left out of the weights, or counts as not met",
    )
    feedback: Level = Field(
        "none",
        description="what is told of criteria that are not met: nothing, their ids (`status`), what is not hidden "
        "(`redacted`), or all (`full`)",
    )
    samples: int = Field(1, ge=1, le=64, description="replies that vote on a criterion; above 1 give a temperature")
    threshold: float | None = Field(None, description="the least score of a correct response; default: `scored`")


class RubricVerifier(JudgeVerifier[RubricParams]):
    name: ClassVar[str] = "rubric"
    summary: ClassVar[str] = "Which criteria of a rubric a response meets, by a model, weighed"
    scale: ClassVar[Scale] = "unbounded"  # signed_abs_norm goes down to -1
    mechanism: ClassVar[Mechanism] = "criteria"
    Params: ClassVar[type[Params]] = RubricParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="Why is the sky blue?", response="Rayleigh scattering."), outcome="abstained"),
        Example(
            sample=Sample(prompt="Why?", response="...", metadata={"rubric": ["Names scattering."]}), outcome="invalid"
        ),
    )

    @cached_property
    def judgement(self) -> Judgement:
        return self.preset.judgement(Judgement)

    def slots(self, sample: Sample) -> dict[str, object]:
        """Those of every prompt, without the criteria."""
        self.rubric_of(sample)
        reference = reference_of(sample, needed="reference" in self.preset.head.needs)
        return {**super().slots(sample), "reference": reference}

    def rubric_of(self, sample: Sample) -> Rubric:
        return rubric_of(sample, self.params.rubric, self.params.weight_mode)

    def repeats_replies(self, task: Task) -> bool:
        """Not those of a judge who had read hidden criteria or a reference: see :mod:`judges.rubric.evidence`."""
        sample = sample_of(task)
        read = any(one.hidden for one in self.rubric_of(sample).criteria) or bool(self.slots(sample)["reference"])
        return self.params.feedback == "full" or not read

    async def execute(self, task: Task, models: Models) -> Verdict:
        sample = sample_of(task)
        rubric = self.rubric_of(sample)
        own = self.params

        def slots(response: str | None) -> Slots:
            other = {} if response is None else {"response": response, "reasoning": None}
            return self.slots(sample.model_copy(update=other))

        sampling = self.sampling(self.judgement.temperature, self.judgement.max_tokens)
        asked = (models, own.model, self.preset, self.judgement, sampling, own.samples, own.on_parse_error)
        found = await Judging(*asked, rubric, slots).judge()
        together = self.judgement.ask != "each"
        telling = Telling(rubric, own.feedback, reference=bool(slots(None)["reference"]), together=together)
        return (
            self._rated(rubric, found, telling)
            if self.judgement.ask == "whole"
            else self._weighed(rubric, found, telling)
        )

    def _weighed(self, rubric: Rubric, found: Findings, telling: Telling) -> Verdict:
        scores = {name: mark.score for name, mark in found.marks.items()}
        nothing = rubric.without({one.id for one in rubric.criteria} - scores.keys()).best == 0
        # who says that nothing applies pays nothing: a response may have brought it about
        score, unclipped = (0.0, 0.0) if nothing else total(rubric, scores)
        told: dict[str, JsonValue] = {"criteria": telling.evidence(found.marks)}
        if found.left_out:
            told["left_out"] = [*found.left_out]
        if found.not_applicable:
            told["not_applicable"] = [*found.not_applicable]
        if found.unreadable:
            told["unreadable"] = [*found.unreadable]
        if unclipped != score:
            told["unclipped"] = unclipped
        return self._verdict(score, rubric, found, told, telling.feedback(found.marks))

    def _rated(self, rubric: Rubric, found: Findings, telling: Telling) -> Verdict:
        reason = telling.words(found.whole.reason)
        told: dict[str, JsonValue] = {"reason": reason} if reason else {}
        return self._verdict(found.whole.score, rubric, found, told, telling.remark(found.whole.reason))

    def _verdict(
        self, score: float, rubric: Rubric, found: Findings, told: dict[str, JsonValue], feedback: str | None
    ) -> Verdict:
        evidence = {"rubric": rubric.hash, **told, "weights": found.weights, "usage": found.usage.evidence}
        confidence = _agreed(rubric, found.marks) if self.params.samples > 1 else None
        reason = f"the rubric gives {score:.4g}"
        threshold = self.params.threshold
        return conclude(score, threshold, JUDGED, reason, evidence, confidence=confidence, feedback=feedback)


def _agreed(rubric: Rubric, marks: Mapping[str, Mark]) -> float:
    """How far the replies agree, weighed."""
    weights = {one.id: abs(one.weighs) for one in rubric.criteria}
    shares = [(weights.get(name, 1.0), mark.agreed) for name, mark in marks.items()]
    most = sum(weight for weight, _ in shares)
    return min(sum(weight * agreed for weight, agreed in shares) / most, 1.0) if most else 1.0
