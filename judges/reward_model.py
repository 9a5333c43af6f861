"""``reward_model``: what reward models say of a response, as numbers.

How a model's numbers are read, what it is shown and how it is calibrated is its entry's to say. Several models are an
ensemble: their mean is the score, and each stands in the evidence for a recipe to be careful with. A model with a slot
``{other}`` compares: with each of the sample's ``baselines``, in both orders.

Not covered: judges that write a critique first.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from judges.base import Models, ModelVerifier, NotFinite
from judges.conclusion import Codes, conclude
from judges.conversation import conversation, slots_of
from judges.questions import Answer
from judges.reading import Read, calibrate, question_of, read
from trueward.authoring.verifier import Abstain, Example, Params, Task
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.extract import NoAnswer
from verifiers.scope import Scope, extract_scope

CODES = Codes("reward", "above", "below")
Name = Annotated[str, Field(min_length=1, max_length=128)]


class RewardModelParams(Params):
    model: Name = Field("reward", description="the name of the reward model")
    ensemble: tuple[Name, ...] = Field((), description="further models; the score is the mean over all")
    scope: Scope = Field(
        Scope.RESPONSE,
        description="what the model is shown of the response: all of it, or the `answer` after the "
        "thinking, the `thinking`, or the `final` answer alone",
    )
    threshold: float | None = Field(
        None, description="the least score of a correct answer; without it the outcome is `scored`"
    )


class RewardModelVerifier(ModelVerifier[RewardModelParams]):
    name: ClassVar[str] = "reward_model"
    summary: ClassVar[str] = "Score of a reward model, or of several"
    scale: ClassVar[Scale] = "unbounded"
    needs: ClassVar[tuple[str, ...]] = ("response", "prompt")
    Params: ClassVar[type[Params]] = RewardModelParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="2 + 2?", response=" "), outcome="invalid"),
        Example(sample=Sample(response="4"), outcome="abstained"),
        Example(sample=Sample(prompt="2 + 2?", response="<think>two"), params={"scope": "answer"}, outcome="invalid"),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.params.model, *self.params.ensemble)))

    def triage(self, sample: Sample) -> Verdict | Task:
        found = super().triage(sample)
        if isinstance(found, Verdict) or self.params.scope is Scope.RESPONSE:
            return found
        part = extract_scope(sample, self.params.scope)
        return Verdict.invalid(part.reason_code, part.reason) if isinstance(part, NoAnswer) else found

    async def execute(self, task: Task, models: Models) -> Verdict:
        assert isinstance(task, str)
        sample = Sample.model_validate(json.loads(task))
        said = await asyncio.gather(*(_said(models, name, sample, self.params.scope) for name in self.models))
        scores = [one.score for one in said]
        evidence: dict[str, JsonValue] = {"weights": {one.model: one.weights for one in said}, **said[0].evidence}
        if len(said) > 1:
            evidence |= {"scores": list(scores), "spread": pstdev(scores)}
        score = fmean(scores)
        return conclude(score, self.params.threshold, CODES, f"reward {score:.6g}", evidence)


@dataclass(frozen=True, slots=True)
class _Said:
    """What one model made of the sample: its score, with how it came about."""

    model: str
    score: float
    weights: int
    evidence: dict[str, JsonValue]

    @classmethod
    def of(cls, entry: ModelEntry, raw: float, weights: int, evidence: dict[str, JsonValue]) -> _Said:
        """Raises :class:`judges.base.NotFinite`."""
        score = calibrate(entry.calibration, raw)
        if not math.isfinite(score):
            raise NotFinite(f"the reward of {entry.name!r} came out as {score}")
        return cls(entry.name, score, weights, evidence)


async def _said(models: Models, name: str, sample: Sample, scope: Scope) -> _Said:
    """Raises :class:`judges.base.ModelFailure`, :class:`judges.base.TooLong` or :class:`trueward.Abstain`."""
    entry = models.entry(name)
    response = _shown(sample, scope)
    if "other" in slots_of(entry):
        return await _compared(models, entry, sample, response)
    answer = await models.ask(name, question_of(entry, conversation(entry, sample, response=response)))
    found = read(entry, answer)
    evidence = {"raw": found.raw, "tokens": answer.tokens, **found.parts, **_cut(answer)}
    return _Said.of(entry, found.raw, answer.weights, evidence)


def _shown(sample: Sample, scope: Scope) -> str | None:
    """The text that stands for the response; None for the response as it is, with all its turns."""
    if scope is Scope.RESPONSE:
        return None
    part = extract_scope(sample, scope)
    assert not isinstance(part, NoAnswer), "triage refuses these"
    return part.text


async def _compared(models: Models, entry: ModelEntry, sample: Sample, response: str | None) -> _Said:
    """The mean preference over the sample's ``baselines``; each in both orders, so that neither place pays, and whole:
    a cut would take the rest of the other from the longer one."""
    if not sample.baselines:
        raise Abstain("no_baselines", f"the model {entry.name!r} compares with other responses: send baselines")
    own = sample.response_text if response is None else response
    pairs = [pair for other in sample.baselines for pair in ((own, other), (other, own))]
    texts = [conversation(entry, sample, response=first, other=second) for first, second in pairs]
    answers = await asyncio.gather(*(models.ask(entry.name, question_of(entry, text, entire=True)) for text in texts))
    reads = [read(entry, answer) for answer in answers]
    bounded = entry.reading.kind in ("probability", "choice")
    orders = list(zip(reads[::2], reads[1::2], strict=True))
    preferences = [_preference(first, second, bounded=bounded) for first, second in orders]
    effects = [_order_effect(first, second, bounded=bounded) for first, second in orders]
    raw = fmean(preferences)
    evidence: dict[str, JsonValue] = {
        "raw": raw,
        "preferences": list(preferences),
        "order_effect": fmean(effects),
        "tokens": sum(answer.tokens for answer in answers),
    }
    return _Said.of(entry, raw, min(answer.weights for answer in answers), evidence)


def _preference(first: Read, second: Read, *, bounded: bool) -> float:
    """For the response over the other; ``second`` is what was said with the two exchanged."""
    return (first.raw + (1 - second.raw if bounded else -second.raw)) / 2


def _order_effect(first: Read, second: Read, *, bounded: bool) -> float:
    """How much better a response looks for standing first: 0 without position bias."""
    return (first.raw - (1 - second.raw if bounded else -second.raw)) / 2


def _cut(answer: Answer) -> dict[str, JsonValue]:
    return {"truncated": answer.truncated} if answer.truncated else {}
