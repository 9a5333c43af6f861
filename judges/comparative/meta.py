"""Which of several critiques to believe: those that a reward model finds the most valid (arXiv 2504.02495, meta RM)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from judges.base import Models
from judges.comparative.ballot import Heard
from judges.conversation import conversation
from judges.reading import calibrate, question_of, read
from trueward.wire.sample import Message, Sample

T = TypeVar("T")


def best(scores: Sequence[float], keep: int) -> list[int]:
    """The positions of the ``keep`` highest, the first of equals first, in order."""
    return sorted(sorted(range(len(scores)), key=lambda place: -scores[place])[:keep])


async def validity(models: Models, model: str, heard: Sequence[Heard[T]]) -> list[float]:
    """What the reward model says of each reply to its prompt. Raises as :meth:`judges.base.Models.ask` does."""
    return list(await asyncio.gather(*(_valid(models, model, one) for one in heard)))


async def _valid(models: Models, model: str, heard: Heard[T]) -> float:
    entry = models.entry(model)
    prompt = [Message(role=turn.role, content=turn.content) for turn in heard.prompt]
    text = conversation(entry, Sample(prompt=prompt, response=heard.text))
    return calibrate(entry.calibration, read(entry, await models.ask(model, question_of(entry, text, entire=True))).raw)
