"""Who asks: the model lane as the service has it, and the client of the package ``openai`` as its own users do."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import httpx2

from app.admission.demand import Demand
from app.lanes.engines import Engines
from app.lanes.model_source import RegisteredModel
from app.lanes.models import ModelLane
from app.settings import Settings
from benchmarks.patient.provider import LOST, Provider
from judges.backend import Backend
from judges.base import UnknownModel
from judges.pointwise import JudgeOneVerifier, PointwiseParams
from judges.remote import RemoteBackend
from trueward.wire.model import ModelEntry, RequestLimits
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

AT_ONCE = 64
URL = "http://provider.invalid/v1"


class Wire(httpx2.AsyncBaseTransport):
    """To a provider in this process."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        status, headers, body = await self._provider.answer(await request.aread())
        if (status, headers, body) == LOST:
            raise httpx2.ReadError("the connection is lost")
        headers = {**headers, "content-type": "application/json"}
        return httpx2.Response(status, headers=headers, stream=httpx2.ByteStream(body))


@dataclass(frozen=True, slots=True)
class Question:
    """One sample: which model judges it, in how many seconds; ``place`` makes it differ from all others."""

    model: str
    deadline_s: float
    place: int


class Caller(Protocol):
    name: str

    async def ask(self, questions: Sequence[Question]) -> list[str]:
        """For each the reason why its reward is missing, empty where it is there."""
        ...

    async def close(self) -> None: ...


class Trueward:
    """The model lane with its judge, as the service composes them."""

    name = "Trueward"

    def __init__(self, provider: Provider, models: Sequence[str], limits: RequestLimits | None = None) -> None:
        self._backend = RemoteBackend("openai", connections=AT_ONCE, transport=Wire(provider))
        self._models = {name: _registered(name, limits) for name in models}
        self.lane = ModelLane(_Shelf(self._models), _One(self._backend), 10)
        self._judges = {name: JudgeOneVerifier(PointwiseParams(model=name)) for name in models}
        self._flow = 0

    async def ask(self, questions: Sequence[Question]) -> list[str]:
        self._flow += 1
        demand = Demand(f"request-{self._flow}")
        found = await asyncio.gather(*(self._judged(question, demand) for question in questions))
        return [verdict.reason_code if verdict.score is None else "" for verdict in found]

    async def states(self) -> dict[str, str]:
        """As the models' page tells them."""
        return {name: status.state for name, status in (await self._backend.status()).items()}

    async def close(self) -> None:
        await self._backend.close()

    async def _judged(self, question: Question, demand: Demand) -> Verdict:
        verifier = self._judges[question.model]
        sample = sample_of(question.place)
        task = verifier.triage(sample)
        assert not isinstance(task, Verdict), "these samples are asked about"
        return await self.lane.judge(verifier, task, asyncio.get_running_loop().time() + question.deadline_s, demand)


class OpenAIClient:
    """``AsyncOpenAI`` with as many requests at once, its ``timeout`` the deadline; ``retries`` as its users set it."""

    def __init__(self, provider: Provider, retries: int) -> None:
        from openai import AsyncOpenAI

        self.name = f"openai, max_retries={retries}"
        self._places: Counter[str] = Counter()
        self._slots: dict[str, asyncio.Semaphore] = {}
        http = httpx2.AsyncClient(transport=Wire(provider))
        self._client = AsyncOpenAI(base_url=URL, api_key="none", max_retries=retries, http_client=http)

    async def ask(self, questions: Sequence[Question]) -> list[str]:
        return list(await asyncio.gather(*map(self._judged, questions)))

    async def close(self) -> None:
        await self._client.close()

    async def _judged(self, question: Question) -> str:
        from openai import OpenAIError

        slots = self._slots.setdefault(question.model, asyncio.Semaphore(AT_ONCE))
        text = prompt_of(question.place)
        try:
            async with asyncio.timeout(question.deadline_s), slots:
                said = await self._client.chat.completions.create(
                    model=question.model, messages=[{"role": "user", "content": text}], max_tokens=1024
                )
        except TimeoutError:
            return "timeout"
        except OpenAIError as failure:
            return type(failure).__name__
        return "" if said.choices else "no choices"


def sample_of(place: int) -> Sample:
    wagons = place % 97
    return Sample(
        prompt=f"A train of {wagons} wagons has 12 more put on. How many has it now?",
        response=f"Take {place} as the number of this train.\n\nIt has {wagons + 12} wagons: \\boxed{{{wagons + 12}}}.",
        reference=str(wagons + 12),
    )


def prompt_of(place: int) -> str:
    """The text that the judge's preset makes of the sample."""
    judge = _PLAIN
    turns = judge.preset.prompt().turns(judge.slots(sample_of(place)))
    return "\n\n".join(turn.content for turn in turns)


_PLAIN = JudgeOneVerifier()


class _Shelf:
    """:class:`app.lanes.model_source.ModelSource` of what never changes."""

    def __init__(self, models: dict[str, RegisteredModel]) -> None:
        self._models = models

    def find(self, name: str) -> RegisteredModel:
        if name not in self._models:
            raise UnknownModel(name)
        return self._models[name]

    def all(self) -> list[RegisteredModel]:
        return list(self._models.values())

    async def wait_changed(self) -> None:
        await asyncio.Event().wait()


class _One(Engines):
    """One backend for all models."""

    def __init__(self, backend: Backend) -> None:
        super().__init__(Settings())
        self._backend = backend

    def backend_of(self, entry: ModelEntry) -> Backend:
        return self._backend


def _registered(name: str, limits: RequestLimits | None) -> RegisteredModel:
    entry = ModelEntry(name=name, kind="causal", backend="openai", url=URL, limits=limits)
    return RegisteredModel(name, entry, 0, (), None, datetime(2026, 1, 1, tzinfo=UTC))
