"""``judge``: one response, one structured reply of a model; several replies vote.

What is asked, and what is made of a reply, is a preset's (:mod:`judges.presets`): labels with a value each, or a number
in a range. A preset that reads a ``token`` asks for no text at all: the score is computed from the probabilities of its
labels as the next token.

Not covered: criteria of one's own (``rubric``), comparisons (``compare``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from judges.asking import Usage, ask
from judges.asking.gather import gather_readable
from judges.asking.usage import total
from judges.base import Models
from judges.conclusion import JUDGED, conclude
from judges.judge import JudgeParams, JudgeVerifier, sample_of
from judges.presets import Mechanism, make_name_validator
from judges.questions import Choices, Turn
from trueward.authoring.verifier import Example, Params, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

FLOOR = -50.0
"""Log-probability of a label that the model does not tell (arXiv 2509.21319)."""


class Judgement(BaseModel):
    """``field`` of the reply holds one of ``values`` (label: score), or a number in ``range``, scaled to [0, 1].

    ``token`` reads the labels' probabilities instead: ``expected`` is the mean of their values, ``log_odds`` the first
    label's log-probability less the second's. ``threshold`` is the least score of a correct answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    reading: Literal["reply", "token"] = "reply"
    field: str = "verdict"
    values: dict[str, float] | None = None
    range: tuple[float, float] | None = None
    measure: Literal["expected", "log_odds"] = "expected"
    threshold: float | None = None
    temperature: Annotated[float, Field(ge=0)] = 0.0
    max_tokens: int = 1024

    @model_validator(mode="after")
    def _readable(self) -> Self:
        if (self.values is None) == (self.range is None):
            raise ValueError("a judgement has values, or a range")
        if self.reading == "token" and (self.values is None or len(self.values) < 2):
            raise ValueError("labels are read from tokens: give two values or more")
        return self

    def score(self, reply: Mapping[str, JsonValue]) -> float:
        """Of a reply that is of the preset's form."""
        value = reply[self.field]
        if self.values is not None:
            return self.values[str(value)]
        assert self.range is not None
        assert isinstance(value, (int, float)), "the preset's form says that it is a number"
        low, high = self.range
        return (min(max(float(value), low), high) - low) / (high - low)


class PointwiseParams(JudgeParams):
    preset: Annotated[str, AfterValidator(make_name_validator("pointwise"))] = Field(
        "correctness", description="what is asked, and what is made of the reply"
    )
    samples: int = Field(1, ge=1, le=64, description="replies that vote; above 1 give the model a temperature")
    vote: Literal["mean", "majority"] = Field(
        "mean", description="the score is the mean over the replies, or that of the most frequent one"
    )
    threshold: float | None = Field(
        None, description="the least score of a correct answer; default: the preset's, and `scored` without one"
    )


class JudgeOneVerifier(JudgeVerifier[PointwiseParams]):
    name: ClassVar[str] = "judge"
    summary: ClassVar[str] = "A model's judgement of one response, by a preset"
    mechanism: ClassVar[Mechanism] = "pointwise"
    Params: ClassVar[type[Params]] = PointwiseParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="2 + 2?", response=":", reference="4"), outcome="invalid"),
        Example(sample=Sample(prompt="2 + 2?", response="It is 4."), outcome="abstained"),
    )

    @cached_property
    def judgement(self) -> Judgement:
        return self.preset.judgement(Judgement)

    async def execute(self, task: Task, models: Models) -> Verdict:
        sample = sample_of(task)
        turns = self.preset.prompt().turns(self.slots(sample))
        if self.judgement.reading == "token":
            return await self._by_token(turns, models)
        return await self._by_reply(turns, models)

    async def _by_reply(self, turns: tuple[Turn, ...], models: Models) -> Verdict:
        sampling = self.sampling(self.judgement.temperature, self.judgement.max_tokens)
        count = self.params.samples
        form = self.preset.form()
        asked = [ask(models, self.params.model, turns, form, sampling.vary(place)) for place in range(count)]
        found = await gather_readable(asked)
        scores = [self.judgement.score(one.value) for one in found]
        evidence: dict[str, JsonValue] = {"reply": found[0].evidence, "weights": found[0].weights}
        if count > 1:
            evidence |= {"scores": [*scores], "votes": [one.evidence for one in found], "missing": count - len(found)}
        usage = total(one.usage for one in found)
        score, agreed = _voted(scores, self.params.vote)
        return self._verdict(score, evidence, usage, confidence=agreed if count > 1 else None)

    async def _by_token(self, turns: tuple[Turn, ...], models: Models) -> Verdict:
        values = self.judgement.values or {}
        answer = await models.ask(self.params.model, Choices(turns, tuple(values), entire=True))
        likely = [max(one, FLOOR) for one in answer.rows[0]]
        evidence: dict[str, JsonValue] = {
            "log_probabilities": dict(zip(values, likely, strict=True)),
            "weights": answer.weights,
        }
        if self.judgement.measure == "log_odds":
            score = likely[0] - likely[1]
        else:
            shares = [math.exp(one - max(likely)) for one in likely]
            score = sum(share * value for share, value in zip(shares, values.values(), strict=True)) / sum(shares)
        return self._verdict(score, evidence, Usage.of(models.entry(self.params.model), answer))

    def _verdict(
        self, score: float, evidence: dict[str, JsonValue], usage: Usage, confidence: float | None = None
    ) -> Verdict:
        evidence = {**evidence, "usage": usage.evidence}
        threshold = self.judgement.threshold if self.params.threshold is None else self.params.threshold
        return conclude(score, threshold, JUDGED, f"the judge gives {score:.4g}", evidence, confidence=confidence)


def _voted(scores: Sequence[float], vote: Literal["mean", "majority"]) -> tuple[float, float]:
    """The score, and the share of the replies that say it; of several as frequent ones the lowest."""
    counts = Counter(scores)
    most = max(counts.values())
    if vote == "majority":
        return min(score for score, count in counts.items() if count == most), most / len(scores)
    return fmean(scores), most / len(scores)
