"""What a protocol of model servers must be able to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import JsonValue

from judges.questions import Answer, Prompt, Question, Turn
from judges.remote.server import Server
from trueward.wire.model import ModelEntry


class Dialect(Protocol):
    """All raise :class:`judges.remote.server.Refused` or :class:`judges.base.ModelFailure`."""

    async def ask(self, server: Server, entry: ModelEntry, question: Question) -> Answer: ...

    async def count(self, server: Server, entry: ModelEntry, prompt: Prompt) -> int:
        """How many tokens a prompt has by itself."""
        ...

    async def ready(self, server: Server, entry: ModelEntry) -> None:
        """Raises :class:`judges.base.ModelUnavailable` where the server has no such model."""
        ...


def served_name(entry: ModelEntry) -> str:
    return entry.served_name or entry.name


def messages_of(turns: Sequence[Turn]) -> list[dict[str, JsonValue]]:
    return [{"role": turn.role, "content": turn.content} for turn in turns]
