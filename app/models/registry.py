"""The models at hand, kept in memory: scoring asks for them without waiting.

What another server of the same database registers, deletes or gives weights to is seen within two seconds.
"""

from __future__ import annotations

import asyncio
import difflib

from app.kit.background import Refreshed
from app.lanes.model_source import RegisteredModel
from app.models.repository import ModelsRepository
from judges.base import UnknownModel


class ModelRegistry(Refreshed):
    """An async context manager; inside it the registry keeps itself fresh."""

    task = "models"

    def __init__(self, repository: ModelsRepository) -> None:
        self._repository = repository
        self._models: dict[str, RegisteredModel] = {}
        self._change = asyncio.Event()
        self._refreshing = asyncio.Lock()

    def find(self, name: str) -> RegisteredModel:
        """Raises :class:`UnknownModel`."""
        found = self._models.get(name)
        if found is None:
            near = difflib.get_close_matches(name[:128], self._models, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
            raise UnknownModel(f"there is no model {name[:128]!r}; {hint}GET /v1/models lists them")
        return found

    def all(self) -> list[RegisteredModel]:
        """By name."""
        return list(self._models.values())

    async def wait_changed(self) -> None:
        await self._change.wait()

    async def refresh(self) -> None:
        """Takes in what changed since."""
        async with self._refreshing:
            models = {model.entry.name: model for model in await self._repository.all()}
            if models != self._models:
                self._models, change, self._change = models, self._change, asyncio.Event()
                change.set()
