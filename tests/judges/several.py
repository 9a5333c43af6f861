"""Several models at once, each with a function that says what it does: for panels."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping

from judges.base import ModelUnavailable, UnknownModel
from judges.questions import Answer, Choices, Classify, Generate, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from tests.judges.replies import read
from trueward.wire.model import ModelEntry

Says = Callable[[str], str | float]
"""Of the whole prompt: a reply in words, a reward, or how likely the first of two choices is."""


class Several:
    """As ``Models``; a function may raise. ``asked`` are the names of those that were asked, in order."""

    def __init__(self, says: Mapping[str, Says]) -> None:
        self.asked: list[str] = []
        self._says = says

    def entry(self, name: str) -> ModelEntry:
        if name not in self._says:
            raise UnknownModel(f"there is no model {name!r}")
        kind = "reward" if name.startswith("reward") else "causal"
        fields = {"name": name, "kind": kind, "backend": "openai", "url": "http://judge.invalid"}
        if kind == "reward":
            fields = {"name": name, "kind": kind, "path": "scripted"}
        return ModelEntry.model_validate(fields)

    async def ask(self, name: str, question: Question) -> Answer:
        self.entry(name)
        self.asked.append(name)
        await asyncio.sleep(0)
        assert isinstance(question, (Generate, Choices, Classify)), "these models write, choose or give rewards"
        said = self._says[name](read(question.text if isinstance(question, Classify) else question.prompt))
        if isinstance(said, str):
            return Answer(text=said, tokens=10, written=2)
        if isinstance(question, Choices):
            return Answer(rows=((math.log(said), math.log(1 - said)),), tokens=10)
        return Answer(rows=((said,),), tokens=10)

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise ModelUnavailable("these models have no sandbox")
