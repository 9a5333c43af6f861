"""A loader of models that take their time, for an engine in a process of its own: no torch in it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from judges.engine.work import Read, Row, Work, Writing
from judges.questions import Answer, Classify, Question
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

BATCH_S = 0.4


class Sleepy:
    packed = True
    bytes = 0

    def __init__(self, entry: ModelEntry) -> None:
        self.entry = entry
        self.weights = 0

    def encode(self, question: Question) -> Work:
        assert isinstance(question, Classify)
        return Work(tuple(range(len(str(question.text)))), Read((0,)))

    def run(self, works: Sequence[Work]) -> list[list[Row]]:
        time.sleep(BATCH_S)
        return [[(float(work.tokens),)] for work in works]

    def answer(self, work: Work, rows: Sequence[Row]) -> Answer:
        return Answer(rows=tuple(rows), tokens=work.tokens, weights=self.weights)

    def write(self, works: Sequence[Work]) -> Writing:
        raise NotImplementedError

    def swap(self, source: WeightsRequest, version: int) -> Weights:
        self.weights = version
        return Weights(model=self.entry.name, version=version, tensors=1, whole=True, swap_s=0.0)


def load(entry: ModelEntry) -> Sleepy:
    return Sleepy(entry)
