"""A question on its way through an engine."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf

from judges.base import ModelFailure, TooLong
from judges.engine.messages import Ask
from judges.engine.work import Work
from judges.questions import Classify, EachToken, Generate, Question, Steps, characters

_CHARACTERS_A_TOKEN = 4


@dataclass(eq=False, slots=True)
class Item:
    """``estimate``: tokens of the question before they are counted, with those that may be generated.

    ``prompt`` is equal for those that share it; ``alone``: in a batch of its own; ``deadline`` in the clock's seconds.
    ``work`` or ``failure`` is what encoding it gave. ``fence``, ``tag`` and ``turn`` are its place in the schedule.
    """

    number: int
    model: str
    question: Question
    flow: str
    estimate: int
    deadline: float = inf
    least_weights: int = 0
    prompt: Hashable = None
    alone: bool = False
    work: Work | None = None
    failure: ModelFailure | TooLong | None = None
    fence: int = 0
    tag: float = 0.0
    turn: int = 0

    @property
    def tokens(self) -> int:
        return self.work.room if self.work is not None else self.estimate

    @property
    def writes(self) -> bool:
        """Whether text is to be generated."""
        return isinstance(self.question, Generate)


def make_item(ask: Ask, now: float) -> Item:
    return Item(
        number=ask.number,
        model=ask.model,
        question=ask.question,
        flow=ask.flow,
        estimate=_estimate(ask.question),
        deadline=now + ask.remaining_s,
        least_weights=ask.least_weights,
        prompt=_prompt(ask.question),
        alone=ask.alone,
    )


def _prompt(question: Question) -> Hashable:
    """What others may have in common with a question; None where that is not known before it is encoded."""
    if isinstance(question, Classify):
        return question.text[:-1] or None if isinstance(question.text, tuple) else None
    return None if isinstance(question, EachToken) else question.prompt


def _estimate(question: Question) -> int:
    match question:
        case Steps(_, steps):
            more = len(steps)
        case Generate(_, max_tokens):
            more = max_tokens
        case EachToken(tuple() as ids):
            return len(ids)
        case _:
            more = 0
    return 1 + characters(question) // _CHARACTERS_A_TOKEN + more
