"""A backend that answers by a rule that tests can foresee, and a verifier that asks it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from app.lanes.engines import Engines
from app.settings import Settings
from judges.backend import Backend, ModelStatus
from judges.base import ModelFailure, Models, ModelVerifier
from judges.questions import Answer, Classify, Question
from trueward.authoring.verifier import Params, Task
from trueward.wire.model import ModelEntry, Weights, WeightsRequest
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale


@dataclass
class Scripted:
    """The answer's number is the text's length, and a thousand more for each version of the weights.

    ``work_s`` is how long an answer takes; ``failing`` is raised instead. What was asked and given up is noted.
    """

    work_s: float = 0.0
    failing: ModelFailure | None = None
    unfit: str = ""
    number: float | None = None
    asked: list[Question] = field(default_factory=list)
    flows: set[str] = field(default_factory=set)
    given_up: int = 0
    weights: dict[str, int] = field(default_factory=dict)
    swapped: list[WeightsRequest] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    closed: bool = False

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        self.asked.append(question)
        self.flows.add(flow)
        try:
            async with asyncio.timeout_at(deadline):
                await asyncio.sleep(self.work_s)
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.failing is not None:
            raise self.failing
        weights = self.weights.get(entry.name, 0)
        assert isinstance(question, Classify)
        number = len(str(question.text)) + 1000.0 * weights if self.number is None else self.number
        return Answer(rows=((number,),), tokens=len(str(question.text)), weights=weights)

    async def load(self, entry: ModelEntry) -> None:
        if self.failing is not None:
            raise self.failing
        self.loaded.append(entry.name)

    async def swap(self, entry: ModelEntry, request: WeightsRequest) -> Weights:
        if self.unfit:
            raise ValueError(self.unfit)
        assert request.version is not None
        assert request.version > self.weights.get(entry.name, 0)
        self.swapped.append(request)
        self.weights[entry.name] = request.version
        return Weights(model=entry.name, version=request.version, tensors=1, swap_s=0.0)

    async def status(self) -> Mapping[str, ModelStatus]:
        return {name: ModelStatus("ready", weights=self.weights.get(name, 0)) for name in self.loaded}

    async def drop(self, name: str) -> None:
        self.weights.pop(name, None)
        self.loaded = [one for one in self.loaded if one != name]

    async def close(self) -> None:
        self.closed = True

    def counters(self) -> Mapping[str, float]:
        return Counter({"answered": len(self.asked)})


class OneBackend(Engines):
    """Engines of which all models have the same."""

    def __init__(self, backend: Backend) -> None:
        super().__init__(Settings())
        self._engines = {"cpu": backend}

    def backend_of(self, entry: ModelEntry) -> Backend:
        return self._engines["cpu"]


class JudgeParams(Params):
    model: str
    others: tuple[str, ...] = ()
    baseline: bool = False


class Judge(ModelVerifier[JudgeParams]):
    """Scores a response by what the model says of it, less what it says of the prompt where that is the baseline."""

    name: ClassVar[str] = "judge"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    scale: ClassVar[Scale] = "unbounded"
    Params: ClassVar[type[Params]] = JudgeParams

    @property
    def models(self) -> tuple[str, ...]:
        return (self.params.model, *self.params.others)

    async def execute(self, task: Task, models: Models) -> Verdict:
        assert isinstance(task, str)
        sample = Sample.model_validate(json.loads(task))
        said = await models.ask(self.params.model, Classify(sample.response_text))
        score = said.rows[0][0]
        if self.params.baseline:
            score -= (await models.ask(self.params.model, Classify(sample.prompt_text))).rows[0][0]
        return Verdict.scored(score, "model_score", evidence={"weights": said.weights})


def safetensors(path: Path, names: Sequence[str] = ("w",), *, cut: int = 0) -> Path:
    """A file with tensors of one byte each; ``cut``: without so many bytes of its end."""
    header = {name: {"dtype": "U8", "shape": [1], "data_offsets": [at, at + 1]} for at, name in enumerate(names)}
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = len(text).to_bytes(8, "little") + text + bytes(len(names))
    path.write_bytes(whole[: len(whole) - cut])
    return path
