"""Judges fuzzed responses as the service would, and counts nulls and crashes."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from app.admission.demand import NONE, Demand
from app.lanes.lanes import Lanes
from app.lanes.programs import Programs
from app.settings import Settings
from judges.base import ModelVerifier
from judges.failure_verdicts import judge_task
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from tests.fuzz.grammar import Grammar
from tests.fuzz.tasks import BY_DESIGN, USUAL, Task
from tests.judges.scripted import Scripted
from trueward.authoring.verifier import Abstain, Verifier, report_crash, report_exhausting_response
from trueward.authoring.verifier import Task as Checked
from trueward.blame import UNJUDGEABLE, is_crash
from trueward.wire.sample import Message
from trueward.wire.verdict import Verdict

_AT_ONCE = 8
_SHOWN = 5
_MESSAGES = 0.1


@dataclass(slots=True)
class Tally:
    """Of one verifier. ``examples``: the seed, verdict and beginning of responses that bought a null or crashed us."""

    responses: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    nulls: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, seed: str, response: str, verdicts: Sequence[Verdict]) -> None:
        self.responses += 1
        self.outcomes[verdicts[0].outcome.value] += 1
        for place, verdict in enumerate(verdicts):
            if is_crash(verdict) or (verdict.reason_code == UNJUDGEABLE and "failure" in verdict.evidence):
                self._note(self.crashes, seed, response, place, verdict)
            elif verdict.outcome.missing and verdict.reason_code in BY_DESIGN:
                self.withheld[verdict.reason_code] += 1
            elif verdict.outcome.missing:
                self._note(self.nulls, seed, response, place, verdict)

    def _note(self, counts: Counter[str], seed: str, response: str, place: int, verdict: Verdict) -> None:
        counts[verdict.reason_code] += 1
        if counts[verdict.reason_code] <= _SHOWN:
            whose = "" if place == 0 else f" (member {place} beside it)"
            said = f"{verdict.outcome} {verdict.reason_code}: {verdict.reason[:300]}"
            self.examples.append(f"{seed}{whose}: {said} <- {response[:400]!r}")


class Models(Scripted):
    """With a sandbox, for judges with tools."""

    def __init__(self, programs: Programs, usual: str) -> None:
        super().__init__(usual)
        self._programs = programs

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        return (await self._programs.run(program, limits, stdin))[1]


class ScriptedLane:
    """The model lane with models that count words."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def identity(self, names: Sequence[str], demand: Demand) -> str:
        return ""

    def shed(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def judge(self, verifier: Verifier, task: Checked, deadline: float, demand: Demand = NONE) -> Verdict:
        assert isinstance(verifier, ModelVerifier)
        try:
            return await judge_task(verifier, task, Models(self._programs, USUAL.get()))
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)
        except (MemoryError, RecursionError) as exhausted:
            return report_exhausting_response(exhausted)
        except Exception as failure:  # noqa: BLE001 - counted as a crash
            return report_crash(failure)


@asynccontextmanager
async def fuzzed_lanes() -> AsyncIterator[Lanes]:
    """The lanes with the service's defaults, but for models."""
    lanes = Lanes(Settings(verdict_cache=0, check_cache=0))
    lanes.models = ScriptedLane(lanes.programs)  # type: ignore[assignment]  # what the lanes ask of it
    async with lanes:
        yield lanes


async def fuzz(
    lanes: Lanes, name: str, tasks: Sequence[Task], seed: str, *, count: int = 0, seconds: float = 0.0
) -> Tally:
    """So many responses, or as many as so many seconds allow, each against a task that is drawn for it."""
    tally = Tally()
    began = time.perf_counter()
    number = 0
    while tasks and (number < count or time.perf_counter() - began < seconds):
        batch = [f"{seed}:{name}:{number + place}" for place in range(_AT_ONCE)]
        await asyncio.gather(*(_one(lanes, tasks, one, tally) for one in batch))
        number += len(batch)
    tally.seconds = time.perf_counter() - began
    return tally


async def _one(lanes: Lanes, tasks: Sequence[Task], seed: str, tally: Tally) -> None:
    task, response = drawn(tasks, seed)
    text = response if isinstance(response, str) else repr([message.model_dump() for message in response])
    tally.add(seed, text, await task.judge(lanes, response))


def drawn(tasks: Sequence[Task], seed: str) -> tuple[Task, str | list[Message]]:
    """The task and the response of a seed."""
    source = random.Random(seed)
    task = source.choice(tasks)
    grammar = Grammar(source, task.seeds)
    text = grammar.response()
    if source.random() >= _MESSAGES:
        return task, text
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": grammar.response()[:40], "arguments": grammar.response()},
    }
    parts = [{"type": source.choice(("text", "thinking", "image_url", "?")), "text": text}, "x", None, {"text": 1}]
    messages: tuple[dict[str, object], ...] = (
        {"role": "assistant", "content": text},
        {"role": "assistant", "content": parts[: source.randrange(5)]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "assistant",
            "content": text,
            "tool_calls": source.choice((None, {}, [None], [call, call], "x", [{"function": 1}])),
        },
        {"role": "assistant", "content": text, "reasoning_content": 7, "function_call": call["function"]},
    )
    message = source.choice(messages)
    tail = [{"role": "tool", "content": text}, {"role": "user", "content": "?"}, {"role": "assistant", "content": ""}]
    return task, [Message.model_validate(one) for one in (message, *tail[: source.choice((0, 0, 0, 1, 3))])]
