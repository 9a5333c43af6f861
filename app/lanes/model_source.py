"""The models that there are, as the model lane finds them by name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from judges.base import UnknownModel
from trueward.wire.model import ModelEntry, WeightsRequest


@dataclass(frozen=True, slots=True)
class Source:
    """Weights that were given to a model; ``tensors`` is a hash of the names of its tensors."""

    request: WeightsRequest
    tensors: str


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """A model under its name.

    ``id`` is of this registration. ``sources``, put into the weights of the entry's path one after the other, make
    those of version ``weights`` (0: the path's own).
    """

    id: str
    entry: ModelEntry
    weights: int
    sources: tuple[Source, ...]
    owner: str | None
    created_at: datetime


class ModelSource(Protocol):
    """Where models are found by name."""

    def find(self, name: str) -> RegisteredModel:
        """Raises :class:`UnknownModel`."""
        ...

    def all(self) -> list[RegisteredModel]: ...

    async def wait_changed(self) -> None:
        """Returns when some model was registered, deleted, or given weights."""
        ...


class NoModels:
    """For a path without a store: there are none."""

    def find(self, name: str) -> RegisteredModel:
        raise UnknownModel(
            f"model {name[:128]!r} is unknown here: models have names in a running service, which --url names"
        )

    def all(self) -> list[RegisteredModel]:
        return []

    async def wait_changed(self) -> None:
        raise AssertionError("where there are no models nobody waits for one")
