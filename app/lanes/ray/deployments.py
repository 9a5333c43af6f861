"""The application ``trueward-lanes`` for Ray Serve: a deployment a lane.

``application`` is what an import path in a Serve config names, with the arguments that `trueward ray config` prints.
A replica is a process of the cluster's: what it needs of the machine is stated in :mod:`app.lanes.ray.shape`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import JsonValue
from ray import serve

from app.lanes.ray.hosts import ModelsHost, host_of
from app.lanes.ray.messages import LANES, Asked, Stats, Wave
from app.lanes.ray.shape import Lane, Layout, Shape

TOGETHER_S = 0.002
"""Seconds that a reply waits for others that are ready: what is ready together travels together."""


class Replica:
    """Serves one lane; the other lanes' deployments are named by the first so that they are of its application."""

    async def __init__(self, lane: Lane, arguments: Mapping[str, JsonValue], *others: object) -> None:  # type: ignore[misc]  # Serve awaits it
        self._layout = arguments["layout"]
        self._host = host_of(lane, arguments)
        await self._host.start()

    async def answer(self, asked: list[Asked]) -> AsyncIterator[Wave]:
        """Replies as they become ready. Cancelled, it takes back what is under way."""
        under_way = {asyncio.ensure_future(self._host.answer(one)): place for place, one in enumerate(asked)}
        try:
            while under_way:
                done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                if len(done) < len(under_way):
                    await asyncio.sleep(TOGETHER_S)
                yield [(under_way.pop(task), task.result()) for task in list(under_way) if task.done()]
        finally:
            for task in under_way:
                task.cancel()

    def layout(self) -> JsonValue:
        """As it was deployed."""
        return self._layout

    async def stats(self) -> Stats:
        return await self._host.stats()

    async def drop(self, name: str) -> None:
        if isinstance(self._host, ModelsHost):
            await self._host.drop(name)

    def check_health(self) -> None:
        """Serve replaces a replica that raises here."""
        if ailing := self._host.diagnose():
            raise RuntimeError(ailing)

    async def __del__(self) -> None:
        """Serve awaits it before it ends the process."""
        if hasattr(self, "_host"):
            await self._host.stop()


def application(arguments: Mapping[str, JsonValue]) -> Any:
    """The application, bound; ``arguments`` are those of :func:`app.lanes.ray.shape.arguments`."""
    layout = Layout.model_validate(arguments["layout"])
    shapes: dict[str, Shape] = {lane: shape for lane in LANES if (shape := getattr(layout, lane)) is not None}
    first, *others = shapes
    bound = [_deployment(lane, shapes[lane]).bind(lane, dict(arguments)) for lane in others]
    return _deployment(first, shapes[first]).bind(first, dict(arguments), *bound)


def _deployment(lane: str, shape: Shape) -> Any:
    return serve.deployment(Replica, name=lane, **shape.options())
