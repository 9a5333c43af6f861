"""A service with models of which a rule answers: every kind of question, foreseeably."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from judges.base import ModelFailure, TooLong
from judges.questions import Answer, Choices, Classify, EachToken, Question, Steps
from tests.app.models.conftest import Serve, Served, serve
from tests.app.models.scripted import OneBackend, Scripted, safetensors
from trueward.wire.model import ModelEntry

__all__ = ["serve"]

Answering = Callable[..., AbstractAsyncContextManager[Served]]


@dataclass
class Ruled(Scripted):
    """The logits of a text are a quarter of its length, halved from label to label; ``labels`` of them.

    A token's log-probability is its number, negative; a text's tokens are the lengths of its words.
    """

    labels: int = 1
    raising: ModelFailure | TooLong | None = None

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        self.asked.append(question)
        await asyncio.sleep(self.work_s)
        if self.raising is not None:
            raise self.raising
        if isinstance(question, EachToken):
            ids = tuple(map(len, question.read.split())) if isinstance(question.read, str) else question.read
            rows = (tuple(-float(token) for token in ids[question.start + 1 :]),)
            return Answer(rows, token_ids=(ids[question.start :],), tokens=len(ids), weights=3)
        return Answer(self._rows(question), tokens=7)

    def _rows(self, question: Question) -> tuple[tuple[float, ...], ...]:
        match question:
            case Classify(text=text, pair=pair):
                length = len(text if isinstance(text, str) else text[-1].content) - len(pair or "")
                return (self.logits(length),)
            case Steps(steps=steps):
                return tuple((0.0, float(len(step))) for step in steps)
            case Choices(choices=choices):
                return (tuple(math.log(1 / (2 + int(choice))) for choice in choices),)
        raise AssertionError(question)

    def logits(self, length: int) -> tuple[float, ...]:
        return tuple(length / 4 / 2**label if self.number is None else self.number for label in range(self.labels))


@pytest.fixture
def answering(serve: Serve, tmp_path: Path) -> Answering:
    """Starts a service with the models ``rm`` (reward), ``prm`` (process) and ``lm`` (causal), or those named."""

    @asynccontextmanager
    async def start(
        kinds: tuple[tuple[str, str], ...] = (("rm", "reward"), ("prm", "process"), ("lm", "causal")),
        labels: int = 1,
        **settings: object,
    ) -> AsyncIterator[Served]:
        safetensors(tmp_path / "m/model.safetensors")
        async with serve(**settings) as api:
            backend = Ruled(labels=labels)
            lane = api.state["models"].lane
            lane.engines = lane.weight_sync._engines = OneBackend(backend)
            for name, kind in kinds:
                entry = {"name": name, "kind": kind, "path": str(tmp_path / "m")}
                assert (await api.http.post("/v1/models", json=entry)).status_code == 201
            yield Served(api.http, backend, api.state)

    return start
