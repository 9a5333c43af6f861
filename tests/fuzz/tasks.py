"""What responses are fuzzed against: the contract cases of every verifier whose reference is sound.

A task is sound where the case's own response is compared with the reference and harmless ones have a score: what nobody
but a copy of the reference is judged against says nothing about responses.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from app.admission.admit import admit
from app.admission.demand import NONE
from app.lanes.lanes import Lanes, RequestLanes
from app.path.polls import Polls
from app.settings import Settings
from judges.base import ModelVerifier
from tests.judges.scripted import said_in
from trueward.authoring.verifier import Verifier
from trueward.blame import PLAIN_CONTROLS, is_compared
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

CASES = Path(__file__).parents[1] / "cases"
DEADLINE_S = 120.0
_SETTINGS = Settings()

BY_DESIGN = frozenset({"undecided", "narrow_majority", "no_majority", "group_of_one"})
"""Codes of verdicts withheld though the response was read: equal at every probe but not proved, no winner, no rival."""

USUAL: ContextVar[str] = ContextVar("usual")
"""What a scripted judge replies to harmless responses: what the case's own response has it reply."""
_SEEDS = 40


@dataclass(frozen=True, slots=True)
class Task:
    """A sample whose response is replaced; ``others`` are those of its group, ``seeds`` texts to begin with."""

    verifier: Verifier
    sample: Sample
    others: Sequence[Sample]
    seeds: Sequence[str]

    async def judge(self, lanes: Lanes, response: str | list[Message]) -> list[Verdict]:
        """The verdicts on a response and on the others of its group."""
        USUAL.set(said_in(self.sample.response_text))
        samples = [self.sample.model_copy(update={"response": response}), *self.others]
        named = [sample.model_copy(update={"id": str(place)}) for place, sample in enumerate(samples)]
        items = admit(named, _SETTINGS)
        names = [sample.group or sample.prompt_text for sample in named]
        judge = Polls(RequestLanes(lanes, NONE), items, names)
        until = asyncio.get_running_loop().time() + DEADLINE_S
        found = [judge.judge(self.verifier, item, until) for item in items]
        return [one if isinstance(one, Verdict) else await one for one in found]


async def sound_tasks(lanes: Lanes, name: str, most: int | None = None) -> list[Task]:
    """The sound tasks of a verifier, or so many of them, drawn with a fixed seed."""
    source = random.Random(name)
    cases = list(_cases(name))
    texts = [text for _, samples in cases for text in (samples[0].response_text, _text_of(samples[0].reference))]
    source.shuffle(cases)
    found: dict[str, Task] = {}
    for verifier, (sample, *others) in cases:
        if most is not None and len(found) >= most:
            break
        own = [sample.response_text, _text_of(sample.reference)]
        seeds = [text[:5_000] for text in (*own, *own, *source.sample(texts, min(_SEEDS, len(texts))))]
        task = Task(verifier, sample, others, seeds)
        if _of_its_own(verifier, sample):
            continue
        key = verifier.producer.params + sample.model_dump_json(exclude={"response", "id"})
        response = sample.response if sample.response is not None else ""
        if key not in found and await _is_sound(task, lanes, response):
            found[key] = task
    return list(found.values())


async def _is_sound(task: Task, lanes: Lanes, response: str | list[Message]) -> bool:
    """Whether the case's response is compared with the reference, and harmless ones have a score."""
    if not is_compared((await task.judge(lanes, response))[0]):
        return False
    found = [(await task.judge(lanes, control))[0] for control in PLAIN_CONTROLS]
    return not any(verdict.outcome.missing and verdict.reason_code not in BY_DESIGN for verdict in found)


def _of_its_own(verifier: Verifier, sample: Sample) -> bool:
    """Whether a case says something of its own response that another makes untrue, or has a model that is gone."""
    if "steps" in (sample.metadata or {}):
        return True
    if isinstance(verifier, ModelVerifier) and "gone" in verifier.models:
        return True
    return '"steps"' in said_in(sample.response_text)


def _cases(name: str) -> Iterator[tuple[Verifier, list[Sample]]]:
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        samples = [Sample.model_validate(fields) for fields in (case["sample"], *case.get("others", []))]
        yield registry.create(name, case["params"]), samples


def _text_of(reference: object) -> str:
    return reference if isinstance(reference, str) else json.dumps(reference)
