"""A model that writes, as another server or as the engine: it tells of what it sends, waits, or fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from judges.billing import record_arrival, record_refusal, sending
from judges.questions import Answer, Question
from tests.app.models.scripted import Scripted
from trueward.wire.model import ModelEntry

ANSWER = Answer(text=json.dumps({"analysis": "It is.", "verdict": "correct"}), tokens=100, written=20)


@dataclass
class Writer(Scripted):
    """``said`` makes each answer; it may send more than once, wait, or raise."""

    said: Callable[[], object] = lambda: ANSWER
    count: int = 0
    steps: list[str] = field(default_factory=list)

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        self.count += 1
        for step in self.steps:
            if step == "send":
                await sending()
            elif step == "wait":
                await asyncio.sleep(10)
            elif step in ("arrive", "refuse"):
                (record_arrival if step == "arrive" else record_refusal)()
        await asyncio.sleep(0)
        said = self.said()
        if isinstance(said, BaseException):
            raise said
        assert isinstance(said, Answer)
        return said
