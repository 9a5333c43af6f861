"""Models that answer from a table: for a span, log-probabilities that depend on the text before it."""

from __future__ import annotations

import math
from collections.abc import Callable

from judges.base import ModelUnavailable, UnknownModel
from judges.questions import Answer, Choices, Question, Spans
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.wire.model import ModelEntry

Belief = Callable[[str, str], tuple[float, ...]]
"""Text before a span and the span's own text in, the probabilities of its tokens out."""


class Scripted:
    """One model a name; ``asked`` are the questions, in order."""

    def __init__(self, **beliefs: Belief) -> None:
        self._beliefs = beliefs
        self.asked: list[tuple[str, Question]] = []

    def entry(self, name: str) -> ModelEntry:
        if name not in self._beliefs:
            raise UnknownModel(f"there is no model {name!r}")
        return ModelEntry(name=name, kind="causal", path="scripted")

    async def ask(self, name: str, question: Question) -> Answer:
        self.entry(name)
        self.asked.append((name, question))
        belief = self._beliefs[name]
        if isinstance(question, Spans):
            prompt = "".join(f"[{turn.role}]{turn.content}" for turn in question.prompt if not isinstance(turn, str))
            rows = [belief(prompt + question.text[:start], question.text[start:end]) for start, end in question.spans]
        else:
            assert isinstance(question, Choices)
            rows = [belief(question.said, str(question.choices[0]))]
        return Answer(rows=tuple(tuple(math.log(p) for p in row) for row in rows), weights=7)

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise ModelUnavailable("these models have no sandbox")

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        raise AssertionError("these models write nothing")
