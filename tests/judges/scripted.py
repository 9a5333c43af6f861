"""Models that count words, so that what they say of a text can be worked out by eye.

A text's merit is how often it says ``good`` less how often it says ``bad``. What they write is what the last line
``JUDGE SAYS: ...`` of the prompt tells them to, else ``I cannot say.``: a case's response has its judge's reply in it.
``verify`` judges with them as the service would with its models.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence

from judges.base import ModelUnavailable, ModelVerifier, NotFinite, SandboxUnavailable, TooLong, Unaskable, UnknownModel
from judges.failure_verdicts import judge_task
from judges.questions import Answer, Choices, Classify, Generate, Prompt, Question, Spans, Steps
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Params, Task, Verifier
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.grouped import GroupVerifier

LIMIT = 40
"""Words that a model takes."""


def _entry(name: str, kind: str = "reward", **fields: object) -> ModelEntry:
    return ModelEntry.model_validate({"name": name, "kind": kind, "path": "scripted", **fields})


ENTRIES: Mapping[str, ModelEntry] = {
    entry.name: entry
    for entry in (
        _entry("reward"),
        _entry("other"),
        _entry("labels", reading={"kind": "probability", "index": 1}),
        _entry("attributes", reading={"kind": "attributes", "weights": {"merit": 2, "length": -0.5}}),
        _entry("gated", reading={"kind": "gated", "attributes": ["merit", "length"]}),
        _entry("judge", reading={"kind": "choice"}, text="Q: {prompt}\nA: {response}\nRight is {reference}. Good?"),
        _entry("pair", reading={"kind": "probability"}, text="first: {response} // {other}"),
        _entry("platt", calibration={"method": "platt", "scale": 2, "shift": -1}),
        _entry("grounded", text="{documents} | {response}"),
        _entry("gone"),
        _entry("infinite"),
        _entry("process", kind="process"),
        _entry("shepherd", kind="process", steps={"style": "choices", "separator": "ки", "joint": " "}),
        _entry("policy", kind="causal"),
        _entry("initial", kind="causal"),
    )
}


class Scripted:
    """As ``Models``; ``asked`` are the questions, in order. ``usual`` is written where no prompt tells what to."""

    def __init__(self, usual: str = "I cannot say.") -> None:
        self.asked: list[tuple[str, Question]] = []
        self._usual = usual

    def entry(self, name: str) -> ModelEntry:
        if name not in ENTRIES:
            raise UnknownModel(f"there is no model {name!r}")
        return ENTRIES[name]

    async def ask(self, name: str, question: Question) -> Answer:
        entry = self.entry(name)
        self.asked.append((name, question))
        if name == "gone":
            raise ModelUnavailable("its device is gone")
        if name == "infinite":
            raise NotFinite("the model says NaN of this text")
        if isinstance(question, Generate):
            return _written(question, self._usual)
        text = _read(question)
        if "☃" in text:
            raise Unaskable("the tokens do not say the text")
        words = len(text.split())
        if words > LIMIT:
            raise TooLong("response", words, LIMIT)
        return Answer(rows=_rows(entry, question, text), tokens=words, weights=3)

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise SandboxUnavailable("a scripted model has no sandbox")


def merit(text: str) -> float:
    return len(re.findall(r"\bgood\b", text)) - len(re.findall(r"\bbad\b", text))


def verify(verifier: Verifier, samples: Sequence[Sample]) -> list[Verdict]:
    """Verdicts in order; whoever asks no model judges by itself."""
    if isinstance(verifier, ModelVerifier) and verifier.models:
        return asyncio.run(_asked(verifier, samples))
    if isinstance(verifier, GroupVerifier) and isinstance(inner := verifier.inner, ModelVerifier):

        async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
            return await _asked(inner, [sample for _, sample in asked])

        return asyncio.run(verifier.verify_all(samples, ask))
    return verifier.verify(samples)


async def _asked(verifier: ModelVerifier[Params], samples: Sequence[Sample]) -> list[Verdict]:
    models = Scripted()
    tasks = [_triaged(verifier, sample) for sample in samples]
    return [task if isinstance(task, Verdict) else await judge_task(verifier, task, models) for task in tasks]


def _triaged(verifier: ModelVerifier[Params], sample: Sample) -> Verdict | Task:
    try:
        return verifier.triage(sample)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)


def _written(question: Generate, usual: str) -> Answer:
    text = _flat(question.prompt)
    reply = _own(said_in(text)) or usual
    return Answer(text=reply, tokens=len(text.split()), written=len(reply.split()))


def _own(reply: str) -> str:
    """The same reply in other letters, so that it is no repetition of what the response has: one is escaped."""
    return re.sub(r'"([a-z])', lambda found: f'"\\u{ord(found[1]):04x}', reply, count=1)


def said_in(text: str) -> str:
    """The reply that a text tells a judge to give; empty where it tells none."""
    return text.rpartition("JUDGE SAYS: ")[2].partition("\n")[0] if "JUDGE SAYS: " in text else ""


def _read(question: Question) -> str:
    match question:
        case Classify(text=prompt):
            return _flat(prompt)
        case Choices(prompt=prompt, said=said) | Spans(prompt=prompt, text=said):
            return _flat(prompt) + said
        case Steps(prompt=prompt, steps=steps):
            return _flat(prompt) + " ".join(steps)
        case _:
            raise Unaskable("a scripted model does not write")


def _rows(entry: ModelEntry, question: Question, text: str) -> tuple[tuple[float, ...], ...]:
    match question:
        case Classify():
            return _labels(entry, text)
        case Choices(choices=choices):
            yes = _sure(merit(text.partition("A:")[2].partition("Right is")[0]))
            return ((math.log(yes), *[math.log((1 - yes) / max(len(choices) - 1, 1))] * (len(choices) - 1)),)
        case Steps(steps=steps):
            rows = [(0.0, 2.0 * merit(step)) for step in steps]
            if entry.steps.style == "choices":
                return tuple((math.log(p := _sure(row[1])), math.log(1 - p)) for row in rows)
            return tuple(rows)
        case Spans(spans=spans, text=said):
            sure = 0.9 if merit(_flat(question.prompt) + said) > 0 else 0.5
            return tuple((math.log(sure),) * max(len(said[a:b].split()), 1) for a, b in spans)
        case _:
            raise Unaskable("a scripted model does not write")


def _sure(logit: float) -> float:
    """The probability of a logit, never wholly sure."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def _labels(entry: ModelEntry, text: str) -> tuple[tuple[float, ...], ...]:
    kind = entry.reading.kind
    if entry.name == "pair":
        first, _, second = text.partition("//")
        # who stands first looks better by half a word
        return ((merit(first) - merit(second) + 0.5,),)
    said = merit(text)
    length = float(len(text.split()))
    if kind == "gated":
        return ((0.75 * said + 0.25 * length,), (said, length), (0.75, 0.25))
    if kind == "attributes":
        return ((said, length),)
    if kind == "probability":
        return ((0.0, said),)
    return ((said + (entry.name == "other"),),)


def _flat(prompt: Prompt) -> str:
    return prompt if isinstance(prompt, str) else " ".join(turn.content for turn in prompt)
