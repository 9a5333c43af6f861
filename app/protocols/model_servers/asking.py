"""One model asked several things for somebody else's client: all answers, or the first failure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from app.admission.demand import Demand
from app.keys.admission import Principal, principal_of
from app.kit.tokens import new_id
from app.lanes.model_source import RegisteredModel
from app.models.asking import refuse_too_long, translate_failures
from app.models.service import ModelsService
from app.path.path import Path
from app.settings import Settings
from judges.base import TooLong
from judges.questions import Answer, Question
from trueward.errors import InvalidRequest, NotFound, TooLarge
from trueward.wire.model import ModelKind


@dataclass(frozen=True, slots=True)
class Natives:
    """The model lane as native paths see it: with the gate and the limits of the one path, for whoever asks."""

    models: ModelsService
    path: Path
    settings: Settings
    principal: Principal

    def find_model(self, name: str | None, *kinds: ModelKind) -> RegisteredModel:
        """The model of that name, or the only one of these kinds. Raises :class:`NotFound`."""
        if name:
            return self.models.find(name)
        found = [model for model in self.models.lane.source.all() if model.entry.kind in kinds]
        if len(found) != 1:
            names = ", ".join(model.entry.name for model in found) or "none"
            raise NotFound(f"the request names no model, and not exactly one is registered for it: {names}")
        return found[0]

    async def ask(self, model: RegisteredModel, questions: Sequence[Question]) -> list[Answer]:
        """In order. The request is held while there is no room: such clients take a refusal for the end."""
        if not questions:
            raise InvalidRequest("there is no input")
        if len(questions) > self.settings.max_samples:
            raise TooLarge(f"{len(questions)} inputs; at most {self.settings.max_samples} (TRUEWARD_MAX_SAMPLES)")
        refuse_too_long(questions, self.settings.max_characters)
        deadline = asyncio.get_running_loop().time() + self.settings.max_deadline_s
        gate, asking = self.path.gate, self.principal
        async with gate.enter(asking.owner, asking.project, len(questions), hold_until=deadline):
            return await self._ask_all(model.entry.name, questions, deadline)

    async def _ask_all(self, name: str, questions: Sequence[Question], deadline: float) -> list[Answer]:
        """One failure ends them all: no such client can take a part of its answer."""
        demand = Demand(new_id())
        answer = self.models.lane.answer
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(answer(name, question, demand, deadline)) for question in questions]
        except ExceptionGroup as failures:
            first = failures.exceptions[0]
        else:
            return [task.result() for task in tasks]
        if isinstance(first, TooLong):
            raise TooLarge(f"the input is too long for the model: {first}")
        with translate_failures():
            raise first
        raise AssertionError("unreachable: it was raised")


async def _natives(request: Request) -> Natives:
    state = request.state
    return Natives(state.models, state.path, state.settings, await principal_of(request))


NativesDep = Annotated[Natives, Depends(_natives)]
