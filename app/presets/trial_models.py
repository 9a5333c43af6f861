"""Models that a trial of a judge listens to: each question as it was asked, each answer as it was given."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from judges.asking import Usage
from judges.base import Malformed, ModelFailure, Models, TooLong
from judges.probing import is_probing
from judges.questions import Answer, Choices, Classify, EachToken, Prompt, Question
from sandbox.base import Execution, Limits, Program
from trueward.wire.model import ModelEntry
from trueward.wire.preset import Exchange

MOST = 64
"""Exchanges that are kept of one trial."""


@dataclass(slots=True)
class Overheard:
    """As :class:`judges.base.Models`; ``exchanges`` are at most ``MOST``."""

    models: Models
    exchanges: list[Exchange] = field(default_factory=list)
    _replies: dict[int, Exchange] = field(default_factory=dict)

    def entry(self, name: str) -> ModelEntry:
        return self.models.entry(name)

    async def ask(self, name: str, question: Question) -> Answer:
        began = asyncio.get_running_loop().time()
        exchange = Exchange(model=name, prompt=_turns(question), probe=is_probing())
        try:
            answer = await self.models.ask(name, question)
        except (ModelFailure, TooLong, Malformed, TimeoutError) as failure:
            exchange.failure, exchange.read = f"{type(failure).__name__}: {failure}"[:1000], False
            raise
        else:
            usage = Usage.of(self.models.entry(name), answer)
            exchange.reply, exchange.finish = answer.text, answer.finish
            exchange.tokens_read, exchange.tokens_written, exchange.cost = usage.read, usage.written, usage.cost
            if isinstance(question, Choices) and answer.rows:
                labels = map(str, question.choices)
                exchange.alternatives = dict(zip(labels, answer.rows[0], strict=False))
            self._replies[id(answer)] = exchange
            return answer
        finally:
            exchange.elapsed_s = asyncio.get_running_loop().time() - began
            if len(self.exchanges) < MOST:
                self.exchanges.append(exchange)

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        if (exchange := self._replies.get(id(answer))) is not None:
            exchange.read = False
        self.models.unreadable(name, question, answer)

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        return await self.models.run(program, limits, stdin)


def _turns(question: Question) -> list[dict[str, str]]:
    match question:
        case Classify(text=text):
            return _written(text)
        case EachToken(read=read):
            return _written(str(read))
        case _:
            return _written(question.prompt)


def _written(prompt: Prompt) -> list[dict[str, str]]:
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return [{"role": turn.role, "content": turn.content} for turn in prompt]
