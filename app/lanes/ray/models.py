"""The model lane on a cluster: the service asks, shares, pays; the engines run on its replicas.

Every question carries which weights its model is registered with, and a replica brings itself to them: replicas come
and go, so the service keeps no account of what each has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from pydantic import TypeAdapter

from app.lanes.engines import Engines
from app.lanes.model_source import ModelSource, RegisteredModel
from app.lanes.ray.link import ItemLost, RayLink, Stopped, Unreachable
from app.lanes.ray.messages import AnswerMessage, AskMessage, Reweigh, pack, read, sum_counters
from app.lanes.weight_sync import WeightSync
from app.settings import Settings
from judges.backend import Backend, ModelStatus
from judges.base import ModelUnavailable
from judges.questions import Answer, Question
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

LOAD_S = 3600.0
"""Seconds that loading a model, or giving it weights, may take."""

_STATUSES = TypeAdapter(dict[str, ModelStatus])
_RANKS = ("ready", "loading", "failed", "registered")


class RayBackend:
    """A :class:`judges.backend.Backend` of the replicas. ``source`` knows a model's weights."""

    def __init__(self, link: RayLink, source: ModelSource) -> None:
        self._link = link
        self._source = source

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        payload = pack(AskMessage(self._source.find(entry.name), question, flow))
        return AnswerMessage.model_validate_json(await self._ask("ask", payload, deadline)).answer

    async def load(self, entry: ModelEntry) -> None:
        await self._weigh(self._source.find(entry.name), None)

    async def swap(self, entry: ModelEntry, request: WeightsRequest) -> Weights:
        return Weights.model_validate_json(await self._weigh(self._source.find(entry.name), request))

    async def status(self) -> dict[str, ModelStatus]:
        """Of each model as the replica says that has come furthest with it."""
        found: dict[str, ModelStatus] = {}
        for replica in self._link.stats.get("models", []):
            for name, status in _STATUSES.validate_python(replica["statuses"]).items():
                if name not in found or _rank(status) < _rank(found[name]):
                    found[name] = status
        return found

    async def drop(self, name: str) -> None:
        self._link.drop_model(name)

    async def close(self) -> None:
        return None

    def counters(self) -> Mapping[str, float]:
        """Over all replicas that answer, a few seconds old."""
        replicas = self._link.stats.get("models", [])
        return sum_counters(cast("dict[str, float]", replica["counters"]) for replica in replicas)

    async def _weigh(self, model: RegisteredModel, request: WeightsRequest | None) -> bytes:
        deadline = asyncio.get_running_loop().time() + LOAD_S
        return await self._ask("weigh", pack(Reweigh(model, request)), deadline)

    async def _ask(self, method: str, payload: bytes, deadline: float) -> bytes:
        try:
            return read(await self._link.ask("models", method, payload, deadline))
        except (Unreachable, ItemLost, Stopped) as failure:
            raise ModelUnavailable(f"the model lane on the cluster did not answer: {failure}") from failure


class RayEngines(Engines):
    """Models of this service's own engines are asked on the cluster; those of other servers as ever."""

    def __init__(self, settings: Settings, link: RayLink, source: ModelSource) -> None:
        super().__init__(settings)
        self._engines["ray"] = self._ray = RayBackend(link, source)

    def backend_of(self, entry: ModelEntry) -> Backend:
        return self._ray if entry.backend == "local" else super().backend_of(entry)


class RayWeightSync(WeightSync):
    """Replicas bring their models to the weights by themselves."""

    async def bring(self, registered: RegisteredModel) -> None:
        return None

    def note(self, registered: RegisteredModel, weights: int) -> None:
        return None


def _rank(status: ModelStatus) -> int:
    return _RANKS.index(status.state) if status.state in _RANKS else len(_RANKS)
