"""One model of a real server, or of a transport, as ``Models``."""

from __future__ import annotations

import asyncio

from judges.base import SandboxUnavailable
from judges.questions import Answer, Question
from judges.remote import RemoteBackend
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.wire.model import ModelEntry


class Far:
    """Each question may take ``within_s``, or all of them until ``deadline`` (the loop's time)."""

    def __init__(
        self, backend: RemoteBackend, entry: ModelEntry, within_s: float = 6, deadline: float | None = None
    ) -> None:
        self._backend = backend
        self._entry = entry
        self._within_s = within_s
        self._deadline = deadline

    def entry(self, name: str) -> ModelEntry:
        return self._entry

    async def ask(self, name: str, question: Question) -> Answer:
        deadline = self._deadline or asyncio.get_running_loop().time() + self._within_s
        return await self._backend.ask(self._entry, question, deadline=deadline, flow="a")

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise SandboxUnavailable("there is none")
