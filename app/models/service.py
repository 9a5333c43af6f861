"""Models: registered, deleted, loaded, given weights, asked."""

from __future__ import annotations

import asyncio
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from app.kit.clock import now
from app.kit.tokens import new_id
from app.lanes.model_source import RegisteredModel, Source
from app.lanes.models import ModelLane
from app.models.model_paths import Places, refusal, refuse_unusable_url
from app.models.registry import ModelRegistry
from app.models.repository import ModelsRepository
from app.models.tensors import begins_as_gguf, names_hash, tensor_names
from judges.backend import ModelStatus
from judges.base import ModelFailure, ModelUnavailable, UnknownModel
from judges.engine.checkpoint import GGUF
from judges.remote.protocols import MODEL_SERVERS
from trueward.errors import Conflict, NotFound, Unavailable
from trueward.wire.model import ModelEntry, ModelList, ModelView, Weights, WeightsRequest

_REGISTERED = ModelStatus("registered")


class ModelsService:
    def __init__(self, repository: ModelsRepository, registry: ModelRegistry, lane: ModelLane, places: Places) -> None:
        self.places = places
        self.lane = lane
        self._repository = repository
        self._registry = registry
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def list(self) -> ModelList:
        status = await self.lane.engines.status()
        return ModelList(data=[view(model, status.get(model.entry.name)) for model in self._registry.all()])

    async def show(self, name: str) -> ModelView:
        """Raises :class:`NotFound`."""
        status = await self.lane.engines.status()
        return view(self.find(name), status.get(name))

    def find(self, name: str) -> RegisteredModel:
        """Raises :class:`NotFound`."""
        try:
            return self._registry.find(name)
        except UnknownModel as unknown:
            raise NotFound(str(unknown)) from None

    async def add(self, entry: ModelEntry, owner: str | None) -> ModelView:
        """Registers an entry; one that is there already stays as it is.

        Raises :class:`InvalidRequest` for an unknown backend, a path without weights or a URL that cannot be one,
        :class:`Conflict` for the name of another entry.
        """
        if entry.url is not None:
            _refuse_unknown(entry.backend)
            refuse_unusable_url(entry.url)
        if entry.path is not None:
            entry = entry.model_copy(update={"path": self.places.model(entry.path)})
            if Path(entry.path or "").is_absolute():
                await _refuse_unreadable(Path(entry.path or ""))
        added = await self._repository.add(RegisteredModel(new_id(), entry, 0, (), owner, now()))
        await self._registry.refresh()
        if not added and self.find(entry.name).entry != entry:
            raise Conflict(f"model {entry.name!r} has another entry: remove it first, or take another name")
        return await self.show(entry.name)

    async def delete(self, name: str) -> ModelView:
        """The view of what was deleted. Raises :class:`NotFound`."""
        found = await self.show(name)
        if not await self._repository.remove(name):
            raise NotFound(f"there is no model {name!r} any more")
        await self._registry.refresh()
        await self.lane.weight_sync.drop(name)
        await asyncio.to_thread(shutil.rmtree, self.places.uploads(name), ignore_errors=True)
        return found

    async def load(self, name: str) -> ModelView:
        """Loads the model with its weights. Raises :class:`NotFound` or :class:`Unavailable`."""
        registered = self.find(name)
        try:
            await self.lane.weight_sync.bring(registered)
            await self.lane.engines.backend_of(registered.entry).load(registered.entry)
        except ModelFailure as failure:
            raise Unavailable(f"model {name!r} could not be loaded: {failure}") from failure
        return view(registered, ModelStatus("ready"))

    async def push(self, name: str, request: WeightsRequest) -> Weights:
        """New weights from a path of this machine. Raises InvalidRequest, Conflict, NotFound or Unavailable."""
        self.find(name)
        path = self.places.resolve(request.path)
        return await self.reweigh(name, request.model_copy(update={"path": str(path)}))

    async def reweigh(self, name: str, request: WeightsRequest) -> Weights:
        """Puts weights into the engine, one after the other, and registers them where they fit."""
        async with self._turns[name]:
            registered = self.find(name)
            request = request.model_copy(update={"version": self.rising(registered, request.version)})
            source = Source(request, names_hash(await _names_at(Path(request.path))))
            weights = await self._put(registered, request)
            await self._register(registered, source, weights)
        return weights

    async def _register(self, registered: RegisteredModel, new: Source, weights: Weights) -> None:
        """Raises :class:`Conflict` where another server was faster."""
        name, done = registered.entry.name, False
        sources = _followed(registered, new, whole=weights.whole)
        try:
            done = await self._repository.reweigh(registered, weights.version, sources)
        finally:
            if not done:
                await self.lane.weight_sync.drop(name)  # the engine has what nobody registered
        if not done:
            raise Conflict(f"model {name!r} was given other weights, or deleted, meanwhile: look at it and try again")
        await self._registry.refresh()

    def rising(self, registered: RegisteredModel, version: int | None) -> int:
        """The version that new weights get. Raises :class:`Conflict` where it does not rise."""
        if version is None:
            return registered.weights + 1
        if version <= registered.weights:
            name = registered.entry.name
            raise Conflict(f"model {name!r} has version {registered.weights} of its weights: {version} is not above it")
        return version

    async def _put(self, registered: RegisteredModel, request: WeightsRequest) -> Weights:
        try:
            return await self.lane.weight_sync.put(registered, request)
        except ValueError as unfit:
            raise refusal("path", "unfit_weights", str(unfit)[:500]) from unfit
        except ModelFailure as failure:
            raise Unavailable(f"model {registered.entry.name!r} could not take them: {failure}") from failure


def view(model: RegisteredModel, status: ModelStatus | None) -> ModelView:
    """``status``: how its engine says it is; None where it was never asked."""
    status = status or _REGISTERED
    return ModelView(
        id=model.entry.name,
        created=int(model.created_at.timestamp()),
        kind=model.entry.kind,
        state=status.state,
        detail=status.detail,
        weights=model.weights,
        digest=model.entry.digest,
        entry=model.entry,
    )


def _followed(registered: RegisteredModel, new: Source, *, whole: bool) -> Sequence[Source]:
    """What makes the new weights from those of the entry's path: nothing of what they replaced altogether, and no
    earlier adapter, which they take off."""
    kept = [source for source in registered.sources if source.tensors != new.tensors and not source.request.adapter]
    return [new] if whole else [*kept, new]


def _refuse_unknown(backend: str) -> None:
    try:
        MODEL_SERVERS.get(backend)
    except ModelUnavailable as unknown:
        raise refusal("backend", "unknown_backend", str(unknown)) from unknown


async def _refuse_unreadable(path: Path) -> None:
    """Raises :class:`InvalidRequest` naming ``path`` where neither safetensors nor a GGUF file can be read there."""
    if path.suffix != GGUF:
        await _names_at(path)
    elif not await asyncio.to_thread(begins_as_gguf, path):
        raise refusal("path", "no_gguf", f"{path} is no GGUF file")


async def _names_at(path: Path) -> frozenset[str]:
    """Raises :class:`InvalidRequest` naming ``path`` where no safetensors can be read there."""
    try:
        return await asyncio.to_thread(tensor_names, path)
    except (OSError, ValueError) as unfit:
        raise refusal("path", "no_safetensors", str(unfit)[:500]) from unfit
