"""``critique``: a model that writes says of each step of a response what is wrong with it, or of each sentence whether
the documents support it.

The preset asks about all steps in one reply, or about each in a reply of its own. Its labels have values; a step whose
score is below ``wrong_below`` is wrong. Scores of steps stand in the evidence as ``process_reward``'s do, for the same
shapings of recipes.

Not covered: models that run code before they judge a step (see ``tooled``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from judges.asking import Material, Said, Sampling, Unreadable, Usage, ask
from judges.asking.gather import gather_readable
from judges.asking.rows import with_rows
from judges.asking.usage import total
from judges.base import Models
from judges.conclusion import conclude
from judges.judge import JudgeParams, JudgeVerifier, sample_of
from judges.presets import Mechanism, make_name_validator
from judges.process_reward.aggregate import AGGREGATES, first_error
from judges.process_reward.steps import Span, Split, refuse_steps, steps_of, texts
from judges.process_reward.verifier import CODES
from trueward.authoring.verifier import Example, Params, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.legible import legible, shorten

Vote = Literal["mean", "majority", "intersection", "union"]
Aggregate = Literal["min", "product", "mean", "geometric_mean", "last"]


def merge_critiques(critiques: Sequence[Sequence[float]], vote: Vote, wrong_below: float) -> list[float]:
    """One score a step, from one list of scores a critique.

    Wrong steps are those that all critiques name (``intersection``), half of them or more (``majority``) or any
    (``union``): CAPO, arXiv 2508.02298. ``mean`` keeps the mean of the scores.
    """
    return [_step(scores, vote, wrong_below) for scores in zip(*critiques, strict=True)]


def _step(scores: Sequence[float], vote: Vote, wrong_below: float) -> float:
    match vote:
        case "mean":
            return fmean(scores)
        case "intersection":
            return max(scores)
        case "union":
            return min(scores)
        case "majority":
            wrong = [score for score in scores if score < wrong_below]
            right = [score for score in scores if score >= wrong_below]
            return fmean(wrong) if len(wrong) >= len(right) else fmean(right)


class Judgement(BaseModel):
    """``values`` are the labels of a step with their scores; ``ask`` says whether one reply judges all steps.

    A reply on all has a list ``steps`` of ``{step, verdict, ...}``, each step once and in order; a reply on one has the
    ``verdict``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: Literal["all", "each"]
    values: dict[str, float]
    aggregate: Aggregate = "min"
    split: Split = "paragraphs"
    temperature: Annotated[float, Field(ge=0)] = 0.0
    max_tokens: int = 4096


class CritiqueParams(JudgeParams):
    preset: Annotated[str, AfterValidator(make_name_validator("stepwise"))] = Field(
        "critique", description="what is asked about each step"
    )
    split: Split | None = Field(
        None,
        description="what a step is: `paragraphs` (parted by blank lines), `sentences`, a `numbered` line and what "
        "follows, what a `marker` parts, the policy's `turns`, or `given` as `[start, end]` in `metadata.steps`; "
        "default: the preset's",
    )
    marker: str = Field("\n", min_length=1, max_length=64, description="what parts two steps, for `marker`")
    samples: int = Field(1, ge=1, le=64, description="critiques that vote; above 1 give the model a temperature")
    vote: Vote = Field(
        "mean",
        description="of several critiques: the `mean` score of each step; or a step is wrong where all say so "
        "(`intersection`), half of them (`majority`), or any (`union`)",
    )
    aggregate: Aggregate | None = Field(None, description="how the scores of steps become one; default: the preset's")
    wrong_below: float = Field(0.5, gt=0, le=1, description="a step with a lower score is wrong")
    threshold: float | None = Field(
        None, description="the least score of a correct response; without it the outcome is `scored`"
    )
    max_steps: int = Field(64, ge=1, le=1024, description="a response of more steps is invalid")


@dataclass(frozen=True, slots=True)
class _Critique:
    """What one critique says of each step, in order."""

    steps: Sequence[Mapping[str, JsonValue]]
    said: Sequence[Said]

    @property
    def usage(self) -> Usage:
        return total(one.usage for one in self.said)


class CritiqueVerifier(JudgeVerifier[CritiqueParams]):
    name: ClassVar[str] = "critique"
    summary: ClassVar[str] = "A model's verdict in words on each step or sentence of a response"
    mechanism: ClassVar[Mechanism] = "stepwise"
    Params: ClassVar[type[Params]] = CritiqueParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="2 + 2?", response=" "), outcome="invalid"),
        Example(sample=Sample(prompt="2 + 2?", response="4"), params={"split": "given"}, outcome="abstained"),
        Example(sample=Sample(prompt="2 + 2?", response="a\n\nb"), params={"max_steps": 1}, outcome="invalid"),
    )

    @cached_property
    def judgement(self) -> Judgement:
        return self.preset.judgement(Judgement)

    def triage(self, sample: Sample) -> Verdict | Task:
        found = super().triage(sample)
        if isinstance(found, Verdict):
            return found
        return refuse_steps(self._spans(sample), self.params.max_steps) or found

    async def execute(self, task: Task, models: Models) -> Verdict:
        sample = sample_of(task)
        spans = self._spans(sample)
        sampling = self.sampling(self.judgement.temperature, self.judgement.max_tokens)
        count = self.params.samples
        slots = {**self.slots(sample), "steps": _listed(legible(sample.response_text), spans), "count": len(spans)}
        ask_all = self._all if self.judgement.ask == "all" else self._each
        asked = [ask_all(slots, len(spans), models, sampling.vary(place)) for place in range(count)]
        found = await gather_readable(asked)
        critiques = [[self.judgement.values[str(one["verdict"])] for one in critique.steps] for critique in found]
        scores = merge_critiques(critiques, self.params.vote, self.params.wrong_below)
        wrong = [score < self.params.wrong_below for score in scores]
        evidence: dict[str, JsonValue] = {
            "step_scores": [*scores],
            "step_spans": [[start, end] for start, end in spans],
            "step_penalties": [-1.0 if one else 0.0 for one in wrong],
            "first_error": first_error(scores, self.params.wrong_below),
            "steps": [_shown(one) for one in found[0].steps],
            "usage": total(critique.usage for critique in found).evidence,
        }
        if count > 1:
            evidence["missing"] = count - len(found)
            evidence["votes"] = [[_shown(one) for one in critique.steps] for critique in found]
        score = AGGREGATES[self.params.aggregate or self.judgement.aggregate](scores)
        return conclude(score, self.params.threshold, CODES, f"steps {score:.4g}", evidence)

    async def _all(self, slots: Mapping[str, object], count: int, models: Models, sampling: Sampling) -> _Critique:
        def in_order(value: Mapping[str, JsonValue]) -> None:
            if [_number(one) for one in _steps(value)] != list(range(1, count + 1)):
                raise Unreadable(f"its steps are not 1 to {count}, each once and in order")

        turns = self.preset.prompt().turns(slots)
        form = with_rows(self.preset.form(), "steps", "step", range(1, count + 1))
        said = await ask(models, self.params.model, turns, form, sampling, in_order)
        return _Critique(_steps(said.value), [said])

    async def _each(self, slots: Mapping[str, object], count: int, models: Models, sampling: Sampling) -> _Critique:
        prompt, form = self.preset.prompt(), self.preset.form()
        asked = [
            ask(models, self.params.model, prompt.turns({**slots, "step": step}), form, sampling)
            for step in range(1, count + 1)
        ]
        said = await gather_readable(asked, missing_share=0.0)
        return _Critique([one.value for one in said], said)

    def _spans(self, sample: Sample) -> list[Span]:
        """Raises :class:`trueward.Abstain` where steps were to be given and were not."""
        return steps_of(sample, self.params.split or self.judgement.split, self.params.marker)


def _listed(text: str, spans: Sequence[Span]) -> str:
    """The steps, each in a fence that is named for its number."""
    return "\n".join(str(Material(f"STEP {place}", one)) for place, one in enumerate(texts(text, spans), start=1))


def _steps(value: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    steps = value["steps"]
    assert isinstance(steps, list), "the preset's form says so"
    return [one for one in steps if isinstance(one, dict)]


def _number(step: Mapping[str, JsonValue]) -> JsonValue:
    return step.get("step")


def _shown(step: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: shorten(value) if isinstance(value, str) else value for name, value in step.items()}
