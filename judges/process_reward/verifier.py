"""``process_reward``: what a model says of each step of a response, and one number for all of them.

A process reward model (kind ``process``) gives each step a probability of being right. With ``reference_model`` both
are causal models, and each token's reward is their log ratio: an implicit process reward. Scores of steps stand in the
evidence with their place in characters, for recipes that pay steps.

Not covered: critiques in words.
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, JsonValue, model_validator

from judges.base import Models, ModelVerifier, NotFinite, Unaskable
from judges.conclusion import Codes, conclude
from judges.conversation import turns_of
from judges.process_reward.aggregate import AGGREGATES, first_error
from judges.process_reward.implicit import implicit
from judges.process_reward.steps import Span, Split, refuse_steps, steps_of, texts
from judges.questions import Answer, Spans, Steps
from judges.reading import probability
from trueward.authoring.verifier import Example, Params, Task
from trueward.estimators.scores import sigmoid
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.legible import legible

CODES = Codes("steps", "above", "below")
Name = Annotated[str, Field(min_length=1, max_length=128)]
Aggregate = Literal["min", "product", "mean", "geometric_mean", "last", "sum", "sum_of_logs", "mean_logit", "mean_odds"]


class ProcessRewardParams(Params):
    model: Name = Field("process", description="the name of the process reward model")
    reference_model: Name | None = Field(
        None, description="with it rewards are implicit: `beta (log p - log p_ref)` of two causal models"
    )
    beta: float = Field(0.05, gt=0, description="scale of implicit rewards")
    split: Split = Field(
        "paragraphs",
        description="what a step is: what blank lines part (`paragraphs`), `sentences`, a `numbered` line and what "
        "follows, what a `marker` parts, the policy's `turns`, or `given` as `[start, end]` in `metadata.steps`",
    )
    marker: str = Field("\n", min_length=1, max_length=64, description="what parts two steps, for `marker`")
    aggregate: Aggregate | None = Field(
        None, description="how the scores of steps become one; default: `min`, of implicit rewards `sum`"
    )
    signed: bool = Field(False, description="steps are scored from -1 to 1, `p_right - p_wrong`, instead of 0 to 1")
    wrong_below: float = Field(0.5, gt=0, lt=1, description="a step with a lower probability is wrong")
    threshold: float | None = Field(
        None, description="the least score of a correct response; without it the outcome is `scored`"
    )
    max_steps: int = Field(256, ge=1, le=4096, description="a response of more steps is invalid")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        needs_probabilities = self.aggregate in ("product", "geometric_mean", "sum_of_logs", "mean_logit", "mean_odds")
        if needs_probabilities and (self.signed or self.reference_model is not None):
            raise ValueError(f"aggregate {self.aggregate!r} takes probabilities: leave out signed and reference_model")
        return self


class ProcessRewardVerifier(ModelVerifier[ProcessRewardParams]):
    name: ClassVar[str] = "process_reward"
    summary: ClassVar[str] = "Scores of each step by a process reward model, and one for all"
    scale: ClassVar[Scale] = "unbounded"
    needs: ClassVar[tuple[str, ...]] = ("response", "prompt")
    Params: ClassVar[type[Params]] = ProcessRewardParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="2 + 2?", response=" "), outcome="invalid"),
        Example(sample=Sample(response="Two and two.\n\nThat is 4."), outcome="abstained"),
        Example(
            sample=Sample(prompt="2 + 2?", response="4", metadata={"steps": [[0, 9]]}),
            params={"split": "given"},
            outcome="abstained",
        ),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name in (self.params.model, self.params.reference_model) if name))

    def triage(self, sample: Sample) -> Verdict | Task:
        found = super().triage(sample)
        if isinstance(found, Verdict):
            return found
        return refuse_steps(self._spans(sample), self.params.max_steps) or found

    async def execute(self, task: Task, models: Models) -> Verdict:
        assert isinstance(task, str)
        sample = Sample.model_validate(json.loads(task))
        text, spans = legible(sample.response_text), self._spans(sample)
        if self.params.reference_model is not None:
            return await self._implicit(sample, text, spans, self.params.reference_model, models)
        name = self.params.model
        entry = models.entry(name)
        answer = await models.ask(name, Steps(turns_of(sample, entry.system), texts(text, spans)))
        right = probabilities(entry, answer, len(spans))
        scores = [2 * p - 1 for p in right] if self.params.signed else right
        evidence: dict[str, JsonValue] = {
            "step_scores": list(scores),
            "step_spans": _listed(spans),
            "first_error": first_error(right, self.params.wrong_below),
            "weights": {name: answer.weights},
        }
        return self._verdict(AGGREGATES[self.params.aggregate or "min"](scores), evidence)

    async def _implicit(
        self, sample: Sample, text: str, spans: list[Span], reference_model: str, models: Models
    ) -> Verdict:
        question = Spans(turns_of(sample), text, ((0, len(text)),))
        names = (self.params.model, reference_model)
        answer, reference = await asyncio.gather(*(models.ask(name, question) for name in names))
        found = implicit(answer, reference, spans, self.params.beta)
        evidence: dict[str, JsonValue] = {
            "step_scores": list(found.steps),
            "step_spans": _listed(spans),
            "token_scores": list(found.tokens),
            "token_spans": _listed(found.offsets),
            "probability": sigmoid(math.fsum(found.tokens)),
            "weights": {names[0]: answer.weights, names[1]: reference.weights},
        }
        return self._verdict(AGGREGATES[self.params.aggregate or "sum"](found.steps), evidence)

    def _spans(self, sample: Sample) -> list[Span]:
        """Raises :class:`trueward.Abstain` where steps were to be given and were not."""
        return steps_of(sample, self.params.split, self.params.marker)

    def _verdict(self, score: float, evidence: dict[str, JsonValue]) -> Verdict:
        if not math.isfinite(score):
            raise NotFinite(f"the steps came out as {score}")
        return conclude(score, self.params.threshold, CODES, f"steps {score:.6g}", evidence)


def probabilities(entry: ModelEntry, answer: Answer, count: int) -> list[float]:
    """How probable it is that each step is right, as the entry reads its model.

    Raises :class:`judges.base.Unaskable` where the model says nothing of some step: a number must not slip to the next.
    """
    if len(answer.rows) != count:
        raise Unaskable(f"the model {entry.name!r} said {len(answer.rows)} numbers of {count} steps")
    if entry.steps.style == "choices":
        return [probability(row, 0) for row in answer.rows]
    if any(entry.steps.positive >= len(row) for row in answer.rows if len(row) > 1):
        raise Unaskable(f"the model {entry.name!r} has no label {entry.steps.positive}")
    return [sigmoid(row[0]) if len(row) == 1 else probability(row, entry.steps.positive) for row in answer.rows]


def _listed(spans: list[Span]) -> list[JsonValue]:
    return [[start, end] for start, end in spans]
