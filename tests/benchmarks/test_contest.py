"""Contestants are killed where they hang or die, and every case keeps its place."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import pytest

from benchmarks import contest
from benchmarks.contest import Case, judged

pytestmark = pytest.mark.benchmark

ME = "tests.benchmarks.test_contest:judge"


def judge(response: str, references: Sequence[str]) -> bool | None:
    """A contestant: hangs or dies where it is told to."""
    if response == "hang":
        time.sleep(600)
    if response == "die":
        os._exit(1)
    return None if response == "nothing" else response in references


def test_answers_stand_in_the_order_of_the_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "HARD_S", 1.0)
    responses = ["1", "die", "2", "nothing", "hang", "1", "1"]
    answers = judged(ME, [Case(response, ("1",)) for response in responses], [], workers=2)
    assert [answer.accepted for answer in answers] == [True, None, False, None, None, True, True]
    assert [answer.killed for answer in answers] == [False, True, False, False, True, False, False]


def test_a_contestant_that_cannot_be_found_is_an_error() -> None:
    with pytest.raises((EOFError, RuntimeError)):
        judged("tests.benchmarks.test_contest:nobody", [Case("1", ("1",))], [], workers=1)
