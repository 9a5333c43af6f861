"""Brings the models of engines to the weights that they are registered with.

An engine forgets what it was given when it is started anew or makes room for another model, and other servers of the
same database register weights that this one's engine has never seen.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass

from app.lanes.engines import Engines
from app.lanes.model_source import RegisteredModel
from judges.base import ModelUnavailable
from trueward.wire.model import Weights, WeightsRequest


@dataclass(frozen=True, slots=True)
class _Held:
    """What an engine has: of which registration, in which version."""

    id: str
    weights: int


class WeightSync:
    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._held: dict[str, _Held] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._bringing: dict[str, asyncio.Task[None]] = {}

    async def close(self) -> None:
        for task in self._bringing.values():
            task.cancel()

    async def bring(self, registered: RegisteredModel) -> None:
        """Returns when the engine has these weights, or later ones. Goes on where the caller goes away.

        Raises :class:`ModelUnavailable` where they cannot be had any more.
        """
        name = registered.entry.name
        while not self._has(registered):
            if name not in self._bringing:
                task = self._bringing[name] = asyncio.ensure_future(self._bring(registered))
                task.add_done_callback(lambda done: self._brought(name, done))
            await asyncio.shield(self._bringing[name])

    async def put(self, registered: RegisteredModel, request: WeightsRequest) -> Weights:
        """Gives the engine new weights. Raises ValueError with what is wrong with them, or ModelFailure."""
        await self.bring(registered)
        name = registered.entry.name
        async with self._turns[name]:
            weights = await self._engines.backend_of(registered.entry).swap(registered.entry, request)
            self._held[name] = _Held(registered.id, weights.version)
        return weights

    def note(self, registered: RegisteredModel, weights: int) -> None:
        """An answer told which version the engine has."""
        self._held[registered.entry.name] = _Held(registered.id, weights)

    async def drop(self, name: str) -> None:
        """The engine forgets the model."""
        async with self._turns[name]:
            self._held.pop(name, None)
            await self._engines.drop(name)

    def _has(self, registered: RegisteredModel) -> bool:
        held = self._held.get(registered.entry.name)
        return held is not None and held.id == registered.id and held.weights >= registered.weights

    async def _bring(self, registered: RegisteredModel) -> None:
        entry = registered.entry
        async with self._turns[entry.name]:
            held = self._held.get(entry.name, _Held(registered.id, 0))
            if held.id != registered.id:
                await self._engines.drop(entry.name)
                held = _Held(registered.id, 0)
            self._held[entry.name] = held
            for source in registered.sources:
                if (source.request.version or 0) > held.weights:
                    await self._put_back(registered, source.request)

    async def _put_back(self, registered: RegisteredModel, request: WeightsRequest) -> None:
        entry = registered.entry
        try:
            weights = await self._engines.backend_of(entry).swap(entry, request)
        except ValueError as refusal:
            lost = f"version {request.version} of {entry.name}'s weights, from {request.path}"
            raise ModelUnavailable(f"{lost}, cannot be put back: {refusal}") from refusal
        self._held[entry.name] = _Held(registered.id, weights.version)

    def _brought(self, name: str, done: asyncio.Task[None]) -> None:
        del self._bringing[name]
        if not done.cancelled():
            done.exception()  # whoever waited was told
