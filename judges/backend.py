"""Whoever has models and answers questions: the engine's process, or a client of another model server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from judges.questions import Answer, Question
from trueward.wire.model import ModelEntry, ModelState, Weights, WeightsRequest


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """How a model is doing; ``detail`` says why it could not be loaded, ``weights`` is the version it has now."""

    state: ModelState
    detail: str = ""
    weights: int = 0


class Backend(Protocol):
    """Loads a model when it is first asked. All methods may be called at once, from one event loop."""

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        """The answer by ``deadline`` (the loop's time), or TimeoutError; questions of one ``flow`` take turns with
        others'. Cancelled, it is dropped from the queue.

        Raises :class:`judges.base.ModelFailure` or :class:`judges.base.TooLong`.
        """
        ...

    async def load(self, entry: ModelEntry) -> None:
        """Loads the model where it is not. Raises :class:`judges.base.ModelUnavailable` with what is wrong."""
        ...

    async def swap(self, entry: ModelEntry, request: WeightsRequest) -> Weights:
        """Loads the model where it is not, and gives it these weights under ``request.version``.

        Raises ValueError with what is wrong with them, or :class:`judges.base.ModelFailure`.
        """
        ...

    async def status(self) -> Mapping[str, ModelStatus]:
        """By name, of the models that were asked for; nothing is started for it."""
        ...

    async def drop(self, name: str) -> None:
        """Forgets a model and the weights it was given; nothing where it is not loaded."""
        ...

    async def close(self) -> None: ...

    def counters(self) -> Mapping[str, float]:
        """What was counted since the start, by name."""
        ...
