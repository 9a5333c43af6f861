"""A model without a network: its tokens are characters, its answers the number of them and the weights' version.

``path`` configures it: ``"bytes=10,delay=0.01,memory=100,padded=1,load=0.1,log=/tmp/x"``; ``memory`` is the tokens that
a batch may have, ``log`` a file that gets a line for each load, batch, token and swap. What it writes is its prompt
backwards, and it pauses for ``token`` seconds at each. Words in a text make trouble.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, nan
from pathlib import Path

from judges.base import ModelUnavailable, NotFinite, TooLong
from judges.engine.work import DeviceLost, OutOfMemory, Read, Row, Work
from judges.questions import Answer, Choices, Classify, EachToken, Generate, Question, Spans, Steps
from trueward.wire.model import ModelEntry, Weights, WeightsRequest


def entry(name: str = "m", **options: object) -> ModelEntry:
    return ModelEntry(
        name=name, kind="reward", path=",".join(f"{key}={value}" for key, value in options.items()) or "-"
    )


class Fake:
    def __init__(self, entry: ModelEntry) -> None:
        self.entry = entry
        self.weights = 0
        self._versions: list[int] = []
        self._given: list[int] = []
        self.device = entry.device
        self._options = dict(option.split("=", 1) for option in (entry.path or "").split(",") if "=" in option)
        self.log(f"load {entry.name}")
        time.sleep(self.number("load", 0))
        if "broken" in self._options:
            raise ModelUnavailable("there is no such directory")
        if "dies" in self._options:
            os.kill(os.getpid(), signal.SIGKILL)

    def number(self, name: str, default: float) -> float:
        return float(self._options.get(name, default))

    def log(self, line: str) -> None:
        if "log" in self._options:
            with Path(self._options["log"]).open("a") as file:
                file.write(line + "\n")

    @property
    def packed(self) -> bool:
        return "padded" not in self._options

    @property
    def bytes(self) -> int:
        return int(self.number("bytes", 1))

    def encode(self, question: Question) -> Work:
        text = _text(question)
        if "too long" in text:
            raise TooLong("response", len(text), 8)
        if "bad template" in text:
            raise KeyError("template")
        then = replace(question, max_tokens=min(question.max_tokens, 500)) if isinstance(question, Generate) else None
        return Work(tuple(map(ord, text)), Read((len(text) - 1,)), then=then)

    def run(self, works: Sequence[Work]) -> list[list[Row]]:
        texts = ["".join(map(chr, work.ids)) for work in works]
        self.log(f"batch {self.entry.name} {'|'.join(texts)}")
        time.sleep(self.number("delay", 0))
        if sum(work.tokens for work in works) > self.number("memory", inf):
            raise OutOfMemory("128 GiB were asked for")
        for text in texts:
            _trouble(text)
        return [[(nan if "nan" in text else inf if "inf" in text else float(len(text)),)] for text in texts]

    def answer(self, work: Work, rows: Sequence[Row]) -> Answer:
        return Answer(rows=tuple(rows), tokens=work.tokens, weights=self.weights)

    def write(self, works: Sequence[Work]) -> FakeWriting:
        return FakeWriting(self, works)

    def swap(self, source: WeightsRequest, version: int) -> Weights:
        self.log(f"swap {self.entry.name} {source.path} {version}")
        if source.path == "truncated":
            raise ValueError("the file is truncated")
        if source.path == "strange":
            raise RuntimeError("half of it was read")
        whole = source.path == "whole"
        rests_on, self.weights = [] if whole else self._given, version
        self._given = [*rests_on, version]
        return Weights(model=self.entry.name, version=version, tensors=1, whole=whole, rests_on=rests_on, swap_s=0.0)


class FakeWriting:
    """``trouble`` comes with the second token."""

    def __init__(self, model: Fake, works: Sequence[Work]) -> None:
        self._model = model
        self._texts = {row: "".join(map(chr, work.ids))[::-1] for row, work in enumerate(works)}
        self._most = {row: work.then.max_tokens for row, work in enumerate(works) if work.then}
        self._written = 0

    def step(self, gone: Collection[int]) -> list[tuple[int, Answer | NotFinite]]:
        for row in gone:
            del self._texts[row]
        self._written += 1
        self._model.log(f"token {self._model.entry.name} {'|'.join(self._texts.values())}")
        time.sleep(self._model.number("token", 0))
        if len(self._texts) * self._written > self._model.number("memory", inf):
            raise OutOfMemory("128 GiB were asked for")
        if self._written == 2:
            for text in self._texts.values():
                _trouble(text[::-1])
        whole = [row for row, text in self._texts.items() if self._written in (len(text), self._most[row])]
        return [(row, self._answer(self._texts.pop(row))) for row in whole]

    def _answer(self, text: str) -> Answer:
        said, read = text[: self._written], len(text)
        return Answer(text=said, tokens=read, written=self._written, weights=self._model.weights)


def _text(question: Question) -> str:
    match question:
        case Classify(text):
            said = text if isinstance(text, str) else " ".join(turn.content for turn in text)
        case Steps(prompt, steps):
            said = f"{prompt}{''.join(steps)}"
        case Spans(prompt, text):
            said = f"{prompt}{text}"
        case EachToken(read):
            said = str(read)
        case Choices(prompt) | Generate(prompt):
            said = str(prompt)
    return said


def _trouble(text: str) -> None:
    if "error" in text:
        raise IndexError("index out of range in self")
    if "lost" in text:
        raise DeviceLost("CUDA error: device-side assert triggered")
    if "kill" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "hang" in text:
        time.sleep(600)


def load(entry: ModelEntry) -> Fake:
    return Fake(entry)
