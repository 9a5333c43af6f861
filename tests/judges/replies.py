"""Models that write what a function says, for judges: no server, no socket.

``Replies(lambda text: ...)`` is asked with the whole prompt as one text. It returns the reply, an answer, or raises.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from judges.base import ModelVerifier, SandboxUnavailable, UnknownModel
from judges.failure_verdicts import judge_task
from judges.questions import Answer, Choices, Generate, Prompt, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Params
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

P = TypeVar("P", bound=Params)
Reply = str | Answer
JUDGE = ModelEntry.model_validate(
    {
        "name": "judge",
        "kind": "causal",
        "backend": "openai",
        "url": "http://judge.invalid",
        "price": {"read": 1, "written": 2},
    }
)


class Replies:
    """As ``Models``, with the one model ``judge``; ``asked`` are the questions, in order.

    Tokens are words. ``chances`` is what a question for choices is answered with: a probability each.
    """

    def __init__(
        self,
        reply: Callable[[str], Reply],
        *,
        chances: Callable[[str], Sequence[float]] | None = None,
        run: Callable[[Program], Execution] | None = None,
    ) -> None:
        self.asked: list[Generate | Choices] = []
        self.ran: list[Program] = []
        self._reply = reply
        self._chances = chances
        self._run = run

    def entry(self, name: str) -> ModelEntry:
        if name != "judge":
            raise UnknownModel(f"there is no model {name!r}")
        return JUDGE

    async def ask(self, name: str, question: Question) -> Answer:
        self.entry(name)
        assert isinstance(question, (Generate, Choices)), "these models write"
        self.asked.append(question)
        await asyncio.sleep(0)
        text = read(question.prompt)
        words = len(text.split())
        if isinstance(question, Choices):
            assert self._chances is not None, "this test asks for no choices"
            row = tuple(math.log(chance) if chance > 0 else -100.0 for chance in self._chances(text))
            return Answer(rows=(row,), tokens=words)
        said = self._reply(text)
        if isinstance(said, Answer):
            return said
        return Answer(text=said, tokens=words, written=len(said.split()))

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        if self._run is None:
            raise SandboxUnavailable("these models have no sandbox")
        self.ran.append(program)
        return self._run(program)


def read(prompt: Prompt) -> str:
    """A prompt as one text."""
    return prompt if isinstance(prompt, str) else "\n".join(turn.content for turn in prompt)


def response_in(text: str, name: str = "RESPONSE") -> str:
    """What stands between the fences of a prompt's response."""
    return text.rpartition(f"⟦{name} ")[2].partition("⟧\n")[2].rpartition(f"\n⟦/{name} ")[0]


def verdict_of(verifier: ModelVerifier[P], sample: Sample, models: Replies) -> Verdict:
    """As the model lane judges."""
    try:
        found = verifier.triage(sample)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    return found if isinstance(found, Verdict) else asyncio.run(judge_task(verifier, found, models))
