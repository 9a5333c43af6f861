"""``likelihood``: how likely a model finds the reference after this response, and rewards made of that.

One mechanism, teacher-forced log-probabilities; each transform is a method of its own over them
(:data:`METHODS`). The model is the service's own, whose weights may move with the training, or the trainer's: then
the log-probabilities come with the sample. A number without a pass line is ``scored``.

Not covered: what a group's numbers are made into (JEPO's advantages, NOVER's ranks: shapings of a recipe), and format
(a term of its own).
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import JsonValue

from judges.base import Models, ModelVerifier, NotFinite
from judges.conclusion import Codes, conclude
from judges.likelihood.method import Asked, Measured, Method, references_of
from judges.likelihood.params import LikelihoodParams, Transform
from judges.likelihood.probability import FORMS, log_probability, probability
from judges.likelihood.progress import BeliefProgress, InformationGain
from judges.likelihood.reference import FormOf, Nover, ReferenceMethod, Rlpr
from judges.likelihood.response import FollowUp, Laser, SelfAligned
from judges.likelihood.trainer_logprobs import read_logprobs
from judges.questions import Answer
from trueward.authoring.verifier import Example, Params, Task, Text
from trueward.wire.sample import Sample, TokenLogprobs
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale

METHODS: Mapping[Transform, Method] = {
    "mean_log_probability": FormOf(FORMS["mean_log_probability"]),
    "mean_probability": FormOf(FORMS["mean_probability"], vanishes=True),
    "probability": FormOf(probability, vanishes=True),
    "log_probability": FormOf(log_probability),
    "rlpr": Rlpr(),
    "verifree": FormOf(probability, vanishes=True),
    "jepo": FormOf(log_probability),
    "nover": Nover(),
    "self_aligned": SelfAligned(),
    "laser": Laser(),
    "belief_progress": BeliefProgress(),
    "information_gain": InformationGain(),
    "follow_up": FollowUp(),
}

CODES = Codes("likelihood", "likely", "unlikely")
_SENT = TokenLogprobs(token_ids=[20, 21], logprobs=[-0.1, -0.3])


class LikelihoodVerifier(ModelVerifier[LikelihoodParams]):
    name: ClassVar[str] = "likelihood"
    version: ClassVar[str] = "4"
    summary: ClassVar[str] = "Probability of the reference after the response's reasoning, under a model"
    scale: ClassVar[Scale] = "unbounded"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = Text
    Params: ClassVar[type[Params]] = LikelihoodParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(response="6 x 7 = \\boxed{42}", reference="42", reference_logprobs=_SENT),
            outcome="scored",
        ),
        Example(
            sample=Sample(response="6 x 7 = \\boxed{42}", reference="42", reference_logprobs=_SENT),
            params={"transform": "probability", "threshold": 0.5},
            outcome="correct",
        ),
        Example(sample=Sample(response="\\boxed{}", reference="42", reference_logprobs=_SENT), outcome="invalid"),
        Example(sample=Sample(response="6 x 7 = \\boxed{42}", reference="42"), outcome="abstained"),
    )

    @property
    def models(self) -> tuple[str, ...]:
        named = (self.params.model, self.params.baseline_model if self.params.transform == "rlpr" else None)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def triage(self, sample: Sample) -> Verdict | Task:
        """Without a model to ask the verdict is there at once."""
        found = super().triage(sample)
        return found if isinstance(found, Verdict) or self.models else self._given(sample)

    async def execute(self, task: Task, models: Models) -> Verdict:
        assert isinstance(task, str)
        sample = Sample.model_validate(json.loads(task))
        asked = self._method.asks(sample, self.params)
        if isinstance(asked, Verdict):
            return asked
        answers = await asyncio.gather(*(self._ask(one, models) for one in asked))
        measured = self._method.measure(sample, self.params, answers)
        return self._verdict(measured, {"weights": self._weights(asked, answers)})

    @property
    def _method(self) -> Method:
        return METHODS[self.params.transform]

    def _named(self, asked: Asked) -> str:
        baseline = self.params.baseline_model if asked.which == "baseline" else None
        name = baseline or self.params.model
        assert name is not None, "a method that asks has a model"
        return name

    async def _ask(self, asked: Asked, models: Models) -> Answer:
        return await models.ask(self._named(asked), asked.question)

    def _weights(self, asked: Sequence[Asked], answers: Sequence[Answer]) -> dict[str, JsonValue]:
        """The version of the weights that answered, by model; where they moved meanwhile, the older one."""
        found: dict[str, int] = {}
        for one, answer in zip(asked, answers, strict=True):
            name = self._named(one)
            found[name] = min(found.get(name, answer.weights), answer.weights)
        return dict(found)

    def _given(self, sample: Sample) -> Verdict:
        """By what the trainer sent; of several references it can only mean the first."""
        method = self._method
        assert isinstance(method, ReferenceMethod), "the parameters allow no other without a model"
        asked = method.asks(sample, self.params)
        if isinstance(asked, Verdict):
            return asked
        reference = references_of(sample)[0]
        return self._verdict(method.measure_of(sample, [read_logprobs(sample, reference)]), {})

    def _verdict(self, measured: Measured, more: Mapping[str, JsonValue]) -> Verdict:
        if not math.isfinite(measured.score):
            raise NotFinite(f"{self.params.transform} came out as {measured.score}")
        evidence = {**measured.evidence, **more}
        said = f"{self.params.transform} {measured.score:.6g}"
        return conclude(measured.score, self.params.threshold, CODES, said, evidence)
