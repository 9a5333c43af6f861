"""Streams and their windows: whole steps, bounded in number, nothing lost but what waits for more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.watch.stream import NO_STEP, RecordStream, together
from app.watch.windows import windows


def _stream(steps: Sequence[int | None]) -> RecordStream:
    return RecordStream.of(np.zeros(len(steps)), step=steps)


def test_a_window_has_whole_steps() -> None:
    found = windows(_stream([0] * 3 + [1] * 3 + [2] * 5 + [3] * 2), 4)
    assert [(one.start, one.end, one.first_step, one.last_step) for one in found] == [(0, 6, 0, 1), (6, 11, 2, 2)]


def test_without_steps_windows_are_blocks() -> None:
    found = windows(_stream([None] * 10), 4)
    assert [(one.start, one.end, one.first_step) for one in found] == [(0, 4, None), (4, 8, None)]


def test_a_long_stream_has_larger_windows_not_more() -> None:
    found = windows(_stream([None] * 10_000), 16, most=100)
    assert len(found) == 100
    assert {one.end - one.start for one in found} == {100}


def test_an_empty_stream_has_no_window() -> None:
    assert windows(_stream([]), 16) == []


def test_records_are_ordered_by_step_and_one_without_belongs_to_the_step_before() -> None:
    stream = RecordStream.of([1, 2, 3, 4, 5], step=[None, 1, 0, None, 1], record=list("abcde"))
    assert "".join(stream.record) == "acdbe"
    assert stream.step.tolist() == [NO_STEP, 0, NO_STEP, 1, 1]


def test_the_gold_score_is_the_label_where_there_is_none() -> None:
    stream = RecordStream.of([0, 0, 0], right=[1, 0, None], gold=[0.7, None, None])
    assert stream.gold[:2].tolist() == [0.7, 0.0]
    assert np.isnan(stream.gold[2])


def test_streams_that_are_put_together_keep_the_scores_of_either() -> None:
    one, other = RecordStream.of([1.0], scores={"a": [0.5]}), RecordStream.of([2.0], scores={"b": [0.25]})
    both = together([one, other])
    assert both.reward.tolist() == [1.0, 2.0]
    assert np.isnan(both.scores["a"][1])
    assert np.isnan(both.scores["b"][0])
