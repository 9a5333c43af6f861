"""One sample judged by a preset, with all that is said on the way: for whoever writes the preset."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from app.admission.admit import Admitted
from app.admission.demand import Demand
from app.lanes.models import ModelLane
from judges.asking import Usage
from judges.base import Malformed, ModelFailure, Models, TooLong
from judges.presets import Preset
from judges.presets.check import VERIFIERS
from judges.probing import is_probing
from judges.questions import Answer, Choices, Classify, EachToken, Prompt, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Task, Verifier, report_crash
from trueward.wire.model import ModelEntry
from trueward.wire.preset import Exchange, PresetTried
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

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


async def try_out(
    preset: Preset,
    admitted: Admitted,
    params: Mapping[str, JsonValue],
    lane: ModelLane,
    demand: Demand,
    deadline: float,
) -> PresetTried:
    """Nothing is recorded. Raises :class:`trueward.errors.InvalidParameters` for parameters that the preset's verifier
    does not have."""
    verifier = registry.create(VERIFIERS[preset.head.mechanism], {**params, "preset": preset.name})
    exchanges: list[Exchange] = []
    task: Verdict | Task = admitted.verdict
    if task is None:
        task = await asyncio.to_thread(_triaged, verifier, admitted.sample)
    if isinstance(task, Verdict):
        task.producer = verifier.producer
        verdict = task
    else:
        verdict = await lane.judge(verifier, task, deadline, demand, lambda models: Overheard(models, exchanges))
    return PresetTried(verifier=verifier.name, verdict=verdict, exchanges=exchanges)


def _triaged(verifier: Verifier, sample: Sample) -> Verdict | Task:
    try:
        return verifier.triage(sample)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    except Exception as failure:  # noqa: BLE001 - a bug in a verifier is told as in a batch
        return report_crash(failure)
