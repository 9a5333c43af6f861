"""Data sources and passes over the prompts: how records are told apart, and how a base is matched to a window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.watch.analysis import look
from app.watch.signal_input import RecipeKind
from app.watch.strata import MOST_SOURCES, OTHERS, add_strata, match_mix
from app.watch.stream import RecordStream
from trueward.wire.watch import Finding, Looking

STEPS, GROUPS, SIZE = 60, 8, 8


def _stream(source: list[str | None], prompt: list[int] | None = None) -> RecordStream:
    """A group of eight for each."""
    group = np.repeat(np.arange(len(source)), SIZE)
    asked = group if prompt is None else np.repeat(prompt, SIZE)
    named = [one for one in source for _ in range(SIZE)]
    made = RecordStream.of(np.arange(len(group), dtype=float), source=named, group=group, prompt=asked)
    return add_strata(made, None)[0]


def test_sources_are_numbered_as_they_appear_and_prompts_by_how_often_they_came() -> None:
    stream, _, names = add_strata(_stream(["b", None, "a", "b", "b"], [1, 2, 3, 1, 4]), None)
    assert names == ["b", "", "a"]
    assert stream.stratum[::SIZE].tolist() == [0, 1, 2, 0, 0]
    lessons = stream.lesson[::SIZE].tolist()
    assert lessons[0] == lessons[4]
    assert len(set(lessons)) == 4


def test_names_without_end_are_one_source() -> None:
    made = RecordStream.of(np.zeros(300), source=[f"row {place // 2}" for place in range(200)] + ["large"] * 100)
    stream, _, names = add_strata(made, None)
    assert len(names) == MOST_SOURCES + 1
    assert names[-1] == OTHERS
    assert "large" in names
    assert stream.stratum.max() == MOST_SOURCES


def test_a_base_of_another_run_has_the_same_numbers() -> None:
    one, other = (RecordStream.of(np.zeros(4), source=list(names)) for names in ("abba", "cabb"))
    run, base, names = add_strata(one, other)
    assert base is not None
    assert [names[place] for place in run.stratum] == list("abba")
    assert [names[place] for place in base.stratum] == list("cabb")


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_a_matched_base_has_the_mix_of_what_is_compared_with_it(before: list[int], now: list[int]) -> None:
    """Whole groups of it, at most as many as there are, and nothing of sources that it lacks."""
    stream = _stream([str(one) for one in [*before, *now]])
    first, later = (stream.part(rows) for rows in (slice(0, len(before) * SIZE), slice(len(before) * SIZE, None)))
    base, window = match_mix(first, later)
    assert set(window.stratum) == set(later.stratum) & set(first.stratum) == set(base.stratum)
    if not len(window):
        return
    assert (np.bincount(base.group)[np.unique(base.group)] == SIZE).all()
    groups = [np.bincount(one.stratum, minlength=4) / SIZE for one in (base, window)]
    share = groups[1] / groups[1].sum()
    # as many as the scarcest source allows, to a group
    there = np.bincount(first.stratum, minlength=4) / SIZE
    size = min(there[place] / share[place] for place in np.flatnonzero(share))
    assert np.abs(groups[0] - share * size).max() <= 1.0


def test_one_source_is_compared_whole() -> None:
    stream = _stream(["a"] * 10)
    first, later = stream.part(slice(0, 48)), stream.part(slice(48, 80))
    base, window = match_mix(first, later)
    assert (len(base), len(window)) == (48, 32)


@pytest.mark.parametrize(
    ("column", "signal"), [("cause", "invalid"), ("length", "length_drift"), ("score", "score_drift")]
)
def test_what_is_wrong_with_one_source_names_it(column: str, signal: str) -> None:
    dice = np.random.default_rng(7)
    size = STEPS * GROUPS * SIZE
    step = np.repeat(np.arange(STEPS), GROUPS * SIZE)
    source = np.where(step % 2 == 0, "algebra", "geometry")
    hit = (step >= 40) & (source == "geometry")
    hung = hit & (dice.random(size) < 0.3)
    cause = ["invalid: resource_limit" if one else None for one in hung.tolist()]
    length = np.exp(dice.normal(6, 0.4, size) + 0.6 * (hit & (column == "length")))
    score = dice.normal(0, 1, size) + (source == "algebra") + 0.9 * (hit & (column == "score"))
    stream = RecordStream.of(
        score,
        step=step.tolist(),
        source=source.tolist(),
        group=np.repeat(np.arange(STEPS * GROUPS), SIZE),
        cause=cause if column == "cause" else None,
        length=length,
    )
    found: dict[str, Finding] = {
        one.signal: one for one in look("r", stream, Looking(), RecipeKind((-9.0, 9.0))).findings
    }
    assert set(found) == {signal}
    assert "geometry" in found[signal].detail
    assert 40 <= (found[signal].found_step or 0) <= 52
