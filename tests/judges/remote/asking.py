"""Questions to one fake server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from judges.questions import Answer, Question
from judges.remote import RemoteBackend
from tests.judges.remote.fake import Fake, serving
from trueward.wire.model import Backend, ModelEntry


@dataclass(frozen=True, slots=True)
class Far:
    backend: RemoteBackend
    entry: ModelEntry

    async def ask(self, question: Question, *, seconds: float = 5.0, flow: str = "a") -> Answer:
        deadline = asyncio.get_running_loop().time() + seconds
        return await self.backend.ask(self.entry, question, deadline=deadline, flow=flow)


def entry_of(protocol: Backend, url: str, **more: object) -> ModelEntry:
    return ModelEntry.model_validate({"name": "far", "kind": "reward", "url": url, "backend": protocol, **more})


@asynccontextmanager
async def far(protocol: Backend, fake: Fake, *, connections: int = 8, **more: object) -> AsyncIterator[Far]:
    backend = RemoteBackend(protocol, connections=connections)
    async with serving(fake) as url:
        try:
            yield Far(backend, entry_of(protocol, url, **more))
        finally:
            await backend.close()


async def answers(entry: ModelEntry, *questions: Question, seconds: float = 10.0) -> list[Answer]:
    """What a backend of its own answers, one question after the other."""
    backend = RemoteBackend("openai", connections=8)
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        return [await backend.ask(entry, one, deadline=deadline, flow="a") for one in questions]
    finally:
        await backend.close()
