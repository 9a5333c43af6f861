"""Whoever asks an engine in a thread, and waits for its replies."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from threading import Condition, Thread

from judges.engine.engine import Engine
from judges.engine.messages import Ask, Message, Outcome, Register, Reply, Swap
from judges.engine.work import DeviceLost
from judges.questions import Classify, Question
from tests.judges.engine import fakes
from trueward.wire.model import ModelEntry, WeightsRequest


class Desk:
    """Asks an engine, and keeps its replies by number."""

    def __init__(self, batch_tokens: int, queue_tokens: int, memory_bytes: int) -> None:
        self.replies: dict[int, list[Outcome]] = {}
        self.lost: DeviceLost | None = None
        self._changed = Condition()
        self._number = 0
        self.engine = Engine(
            fakes.load,
            self._hear,
            device="cpu",
            memory_bytes=memory_bytes,
            batch_tokens=batch_tokens,
            queue_tokens=queue_tokens,
        )
        self.thread = Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.engine.run()
        except DeviceLost as lost:
            self.lost = lost

    def _hear(self, messages: Sequence[Message]) -> None:
        with self._changed:
            for message in messages:
                if isinstance(message, Reply):
                    self.replies.setdefault(message.number, []).append(message.outcome)
            self._changed.notify_all()

    def register(self, *entries: ModelEntry) -> None:
        self.engine.submit([Register(entry) for entry in entries])

    def ask(
        self, *questions: str | Question, model: str = "m", within_s: float = inf, least: int = 0, flow: str = "f"
    ) -> list[int]:
        asks = []
        for question in questions:
            self._number += 1
            text = Classify(question) if isinstance(question, str) else question
            asks.append(Ask(self._number, model, text, flow, within_s, least))
        self.engine.submit(asks)
        return [ask.number for ask in asks]

    def swap(self, path: str, version: int | None = None, model: str = "m") -> int:
        self._number += 1
        self.engine.submit([Swap(self._number, model, WeightsRequest(path=path, version=version))])
        return self._number

    def replied(self, *numbers: int) -> list[Outcome]:
        """What was replied to these, once each."""
        with self._changed:
            assert self._changed.wait_for(lambda: all(number in self.replies for number in numbers), 20)
        assert all(len(self.replies[number]) == 1 for number in numbers)
        return [self.replies[number][0] for number in numbers]

    def answers(self, *questions: str | Question, model: str = "m", flow: str = "f") -> list[Outcome]:
        return self.replied(*self.ask(*questions, model=model, flow=flow))

    def counters(self) -> dict[str, float]:
        return dict(self.engine.beat().counters)
