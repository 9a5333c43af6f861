"""Spans of a traced request: one a lane, with what its verdicts add up to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self, cast

import pytest

from app.admission.admit import Admitted
from app.lanes.lanes import Pending
from app.lanes.spans import trace_judge
from app.telemetry import tracing
from tests.app.path.lines import Checked, Drawn, Inline, Ran, item, turns
from trueward.authoring.verifier import Verifier
from trueward.wire.verdict import Verdict


@dataclass
class Noted:
    """A span that notes what it is told; ``allowed`` is how many it may have below it."""

    name: str = "request"
    allowed: int = 10
    below: list[Noted] = field(default_factory=list)
    attributes: dict[str, tracing.Attribute] = field(default_factory=dict)
    within: int = 0
    ended_ns: int | None = None

    def begin(self, name: str) -> Noted | None:
        if len(self.below) == self.allowed:
            return None
        self.below.append(Noted(name))
        return self.below[-1]

    @contextmanager
    def enter(self) -> Iterator[Self]:
        self.within += 1
        yield self

    def set(self, attributes: Mapping[str, tracing.Attribute]) -> None:
        self.attributes |= attributes

    def end(self, at_ns: int | None = None) -> None:
        assert self.ended_ns is None, "a span ends once"
        self.ended_ns = at_ns


@dataclass
class Bench:
    """Says each verdict in turn: at once, or as a task where ``later``; each is asked ``within`` a span."""

    says: list[Verdict]
    later: bool = False

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Pending:
        said = self.says.pop(0)
        return asyncio.ensure_future(asyncio.sleep(0, said)) if self.later else said


@pytest.fixture
def request_span(monkeypatch: pytest.MonkeyPatch) -> Noted:
    span = Noted()
    monkeypatch.setattr(tracing, "current", lambda: cast(tracing.Span, span))
    return span


YES = Verdict.correct("yes", elapsed_s=1.5)
NO = Verdict.incorrect("no", elapsed_s=0.25)
AGAIN = Verdict.correct("yes", elapsed_s=1.5, cached=True)


def test_where_nothing_is_traced_the_judge_is_left_as_it_is() -> None:
    bench = Bench([])
    with trace_judge(bench) as judge:
        assert judge is bench


def test_each_lane_has_one_span_whatever_it_is_asked(request_span: Noted) -> None:
    with trace_judge(Bench([YES] * 5)) as judge:
        for verifier in (Checked(), Ran(), Drawn(), Checked(), Inline()):
            assert judge.judge(verifier, item(), 0.0) is YES
        assert [span.ended_ns for span in request_span.below] == [None] * 3
    assert [span.name for span in request_span.below] == ["lane cpu", "lane sandbox", "lane inline"]
    assert [span.within for span in request_span.below] == [3, 1, 1]
    assert all(span.ended_ns for span in request_span.below)


def test_a_span_says_what_its_verdicts_add_up_to(request_span: Noted) -> None:
    with trace_judge(Bench([YES, NO, AGAIN, NO])) as judge:
        for _ in range(4):
            judge.judge(Checked(), item(), 0.0)
    [span] = request_span.below
    assert span.attributes == {
        "trueward.samples": 4,
        "trueward.at_once": 4,
        "trueward.cached": 1,
        "trueward.work_s": 2.0,
        "trueward.outcome.correct": 2,
        "trueward.outcome.incorrect": 2,
    }


async def test_what_comes_later_is_counted_when_it_is_there(
    request_span: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(100, 200))
    monkeypatch.setattr("app.lanes.spans.time_ns", lambda: next(clock))
    with trace_judge(Bench([YES, NO], later=True)) as judge:
        tasks = [judge.judge(Checked(), item(), 0.0) for _ in range(2)]
        await turns()
    [span] = request_span.below
    assert all(isinstance(task, asyncio.Task) for task in tasks)
    assert (span.attributes["trueward.samples"], span.attributes["trueward.at_once"]) == (2, 0)
    assert span.attributes["trueward.work_s"] == 1.75
    assert span.ended_ns == 102, "opened at 100, and its last verdict is the second that arrived"


async def test_what_was_given_up_or_failed_is_asked_and_has_no_outcome(request_span: Noted) -> None:
    async def fail() -> Verdict:
        raise KeyError("x")

    class Fails:
        def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Pending:
            return asyncio.ensure_future(fail())

    troubles: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, trouble: troubles.append(trouble))
    with trace_judge(Fails()) as judge:
        first, second = (judge.judge(Checked(), item(), 0.0) for _ in range(2))
        assert isinstance(first, asyncio.Task)
        assert isinstance(second, asyncio.Task)
        first.cancel()
        await asyncio.wait([first, second])
        assert isinstance(second.exception(), KeyError)
        await turns()
    assert troubles == []
    [span] = request_span.below
    assert span.attributes == {
        "trueward.samples": 2,
        "trueward.at_once": 0,
        "trueward.cached": 0,
        "trueward.work_s": 0.0,
    }


def test_a_lane_without_a_span_is_asked_all_the_same(request_span: Noted) -> None:
    request_span.allowed = 1
    with trace_judge(Bench([YES, NO, YES])) as judge:
        said = [judge.judge(verifier, item(), 0.0) for verifier in (Checked(), Ran(), Ran())]
    assert said == [YES, NO, YES]
    assert [span.name for span in request_span.below] == ["lane cpu"]


def test_spans_end_where_the_request_fails(request_span: Noted) -> None:
    def failing() -> None:
        with trace_judge(Bench([YES])) as judge:
            judge.judge(Checked(), item(), 0.0)
            raise KeyError("x")

    with pytest.raises(KeyError):
        failing()
    assert [span.ended_ns is not None for span in request_span.below] == [True]
