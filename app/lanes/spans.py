"""Spans of what a traced request had judged: one a lane, whatever its number of samples, with counts by outcome."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import time_ns

from app.admission.admit import Admitted
from app.lanes.lanes import Judge, Pending
from app.telemetry import tracing
from trueward.authoring.verifier import Verifier
from trueward.wire.verdict import Verdict


class _Lane:
    """What one lane was asked: its span ends when its last verdict arrived."""

    def __init__(self, span: tracing.Span) -> None:
        self.span = span
        self.outcomes: Counter[str] = Counter()
        self.samples = 0
        self.at_once = 0
        self.cached = 0
        self.work_s = 0.0
        self.ended_ns = time_ns()

    def note(self, verdict: Verdict) -> None:
        self.outcomes[verdict.outcome.value] += 1
        self.cached += verdict.cached
        if not verdict.cached:
            self.work_s += verdict.elapsed_s
        self.ended_ns = time_ns()

    def note_result(self, task: asyncio.Task[Verdict]) -> None:
        if not task.cancelled() and task.exception() is None:
            self.note(task.result())

    def end(self) -> None:
        told: dict[str, tracing.Attribute] = {
            "trueward.samples": self.samples,
            "trueward.at_once": self.at_once,
            "trueward.cached": self.cached,
            "trueward.work_s": round(self.work_s, 6),
        }
        self.span.set(told | {f"trueward.outcome.{name}": count for name, count in self.outcomes.items()})
        self.span.end(self.ended_ns)


class TracedJudge:
    """Judges as ``judge`` does; what begins for a sample hangs below its lane's span."""

    def __init__(self, judge: Judge, parent: tracing.Span) -> None:
        self._judge = judge
        self._parent = parent
        self._lanes: dict[str, _Lane] = {}

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Pending:
        lane = self._lanes.get(verifier.lane) or self._opened(verifier.lane)
        if lane is None:
            return self._judge.judge(verifier, admitted, deadline)
        with lane.span.enter():
            pending = self._judge.judge(verifier, admitted, deadline)
        lane.samples += 1
        if isinstance(pending, Verdict):
            lane.at_once += 1
            lane.note(pending)
        else:
            pending.add_done_callback(lane.note_result)
        return pending

    def _opened(self, name: str) -> _Lane | None:
        span = self._parent.begin(f"lane {name}")
        if span is not None:
            self._lanes[name] = _Lane(span)
        return self._lanes.get(name)

    def end(self) -> None:
        for lane in self._lanes.values():
            lane.end()


def trace_judge(judge: Judge) -> AbstractContextManager[Judge]:
    """The judge itself where nothing is traced."""
    parent = tracing.current()
    return nullcontext(judge) if parent is None else _watched(judge, parent)


@contextmanager
def _watched(judge: Judge, parent: tracing.Span) -> Iterator[Judge]:
    watched = TracedJudge(judge, parent)
    try:
        yield watched
    finally:
        watched.end()
