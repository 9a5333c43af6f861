"""Each signal on streams that are made for it, with numbers that can be checked by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.watch.analysis import look
from app.watch.signal_input import RecipeKind
from app.watch.stream import RecordStream
from trueward.wire.watch import Finding, Looking, Signals, WatchReport

STEPS, SIZE = 10, 64
LOOKING = Looking(window=64, base_windows=4)


def _steps(**columns: Any) -> RecordStream:
    """Ten steps of 64 records in groups of eight; each column is a function of the step and the place."""
    step = [s for s in range(STEPS) for _ in range(SIZE)]
    made: dict[str, Any] = {
        name: [make(s, i) for s in range(STEPS) for i in range(SIZE)] for name, make in columns.items()
    }
    made.setdefault("reward", [float(i % 2) for _ in range(STEPS) for i in range(SIZE)])
    made.setdefault("group", [f"{s}-{i // 8}" for s in range(STEPS) for i in range(SIZE)])
    return RecordStream.of(made.pop("reward"), step=step, **made)


def _look(
    stream: RecordStream, kind: RecipeKind | None = None, looking: Looking = LOOKING, base: RecordStream | None = None
) -> WatchReport:
    return look("r", stream, looking, kind or RecipeKind((0.0, 1.0)), base)


def _found(
    stream: RecordStream, kind: RecipeKind | None = None, looking: Looking = LOOKING
) -> dict[tuple[str, str], Finding]:
    return {(one.signal, one.cause): one for one in _look(stream, kind, looking).findings}


def test_nothing_is_found_where_nothing_changes() -> None:
    report = _look(_steps(accepted=lambda s, i: i % 2, right=lambda s, i: i % 2, length=lambda s, i: 100 + i))
    assert report.findings == []
    assert [window.base for window in report.windows] == [True] * 4 + [False] * 6
    assert report.windows[0].reward == report.windows[0].accuracy == 0.5


def test_a_cause_that_grows_is_named_with_its_first_step() -> None:
    def cause(step: int, place: int) -> str | None:
        return "invalid: resource_limit" if step >= 7 and place % 2 else "invalid: no_answer" if place == 0 else None

    found = _found(_steps(cause=cause))
    assert set(found) == {("invalid", "resource_limit")}
    finding = found["invalid", "resource_limit"]
    assert (finding.first_step, finding.last_step, finding.windows) == (7, 9, 3)
    assert finding.value == 0.5


@pytest.mark.parametrize("start", range(20, 28))
def test_nothing_is_found_before_the_step_since_which_it_shows(start: int) -> None:
    """Wherever in a window of four steps it begins, and a test after a step finds it first."""
    dice = np.random.default_rng(start)
    steps = np.repeat(np.arange(36), 64)
    jumped = (steps >= start) & (dice.random(len(steps)) < 0.8)
    length = np.where(jumped, 62.0, 18.0) + dice.integers(0, 4, len(steps))
    report = _look(RecordStream.of(dice.random(len(steps)), step=steps.tolist(), length=length), looking=Looking())
    found = [one for one in report.findings if one.signal == "length_drift"]
    assert found
    assert all((one.first_step or 0) <= (one.found_step or 0) for one in found if one.found_step is not None)


def test_a_missing_score_is_no_rejection() -> None:
    hit = _steps(
        cause=lambda s, i: "missing: time_limit" if s >= 6 and i % 2 else None,
        accepted=lambda s, i: math.nan if s >= 6 and i % 2 else 1.0,
        right=lambda s, i: 1.0,
    )
    assert set(_found(hit)) == {("missing", "time_limit")}


def test_a_share_that_falls_is_no_alarm() -> None:
    assert _found(_steps(cause=lambda s, i: "invalid: no_answer" if s < 5 and i % 2 else None)) == {}


def test_scores_that_jump_at_one_policy_are_compared_with_the_base() -> None:
    dice = np.random.default_rng(0)
    noise = dice.normal(0, 1, STEPS * SIZE).reshape(STEPS, SIZE)
    stream = RecordStream.of(
        noise.ravel(),
        step=[s for s in range(STEPS) for _ in range(SIZE)],
        policy=["frozen"] * (STEPS * SIZE),
        scores={"judge": (noise + 2.0 * (np.arange(STEPS)[:, None] >= 6)).ravel()},
    )
    found = _found(stream)
    assert set(found) == {("score_drift", "judge")}
    assert found["score_drift", "judge"].first_step == 6
    assert found["score_drift", "judge"].windows == 4
    assert "against the base" in found["score_drift", "judge"].detail


def test_a_named_base_is_what_is_compared_with() -> None:
    dice = np.random.default_rng(1)
    size = 4 * SIZE
    here = RecordStream.of(dice.normal(2, 1, size), step=[place // SIZE for place in range(size)])
    there = RecordStream.of(dice.normal(0, 1, size))
    looking = Looking(window=64, base="other")
    report = look("r", here, looking, RecipeKind(), there)
    assert [one.signal for one in report.findings] == ["score_drift"]
    assert report.findings[0].windows == 4
    assert look("r", here, looking, RecipeKind(), RecordStream.of(dice.normal(2, 1, size))).findings == []


def test_error_rates_of_labels_rise_and_pass_a_limit() -> None:
    def accepted(step: int, place: int) -> float:
        return float(place % 2 or (step >= 6 and place % 4 == 0))

    stream = _steps(accepted=accepted, right=lambda s, i: i % 2, reward=accepted)
    limited = Signals.model_validate({"false_positives": {"limit": 0.1, "labels": 64}})
    found = _found(stream, looking=LOOKING.model_copy(update={"signals": limited}))
    assert {("false_positives", "limit"), ("false_positives", "rise")} <= set(found)
    assert found["false_positives", "rise"].value == 0.5
    assert not [key for key in found if key[0] == "false_negatives"]


@pytest.mark.parametrize(("given", "alarms"), [(1, False), (2, True), (None, True)])
def test_a_right_answer_that_stands_alone_in_its_group_tells_nothing_of_the_reference(
    given: int | None, alarms: bool
) -> None:
    """In every third group all that is right is rejected: one response, or two, or nobody knows how many."""

    def answer(step: int, place: int) -> str | None:
        return None if given is None else "42" if place % 8 < given else f"{step} or {place}"

    found = _found(
        _steps(
            accepted=lambda s, i: float(i % 8 == 0 and (8 * s + i // 8) % 3 > 0),
            right=lambda _, i: 1.0 if i % 8 == 0 else math.nan,
            answer=answer,
        )
    )
    assert (("wrong_references", "limit") in found) is alarms


def test_a_missing_verdict_is_neither_a_false_positive_nor_a_false_negative() -> None:
    found = _found(_steps(accepted=lambda s, i: math.nan if s >= 5 else i % 2, right=lambda s, i: i % 2))
    assert not [key for key in found if key[0].startswith("false_")]


def test_a_reward_that_rises_with_accuracy_is_no_alarm_and_one_without_is() -> None:
    def paid(step: int, place: int) -> float:
        return float(place % 2 or step >= 6)

    gamed = _steps(reward=paid, accepted=paid, right=lambda s, i: i % 2)
    honest = _steps(reward=paid, accepted=paid, right=paid)
    assert ("reward_without_accuracy", "gap") in _found(gamed)
    assert ("reward_without_accuracy", "gap") not in _found(honest)


def _collapsing(**columns: Any) -> RecordStream:
    return _steps(
        answer=lambda s, i: "the same" if s >= 6 else f"{s}-{i % 8}",
        reward=lambda s, i: 1.0 if s >= 6 else float(i % 2),
        length=lambda s, i: 10.0 if s >= 6 else 100.0,
        **columns,
    )


def test_a_vote_that_collapses_is_found_by_entropy_length_and_accuracy() -> None:
    found = _found(_collapsing(right=lambda s, i: 0.0 if s >= 6 else i % 2), RecipeKind((0.0, 1.0), unsupervised=True))
    assert {cause for signal, cause in found if signal == "collapse"} == {"entropy", "length", "accuracy"}
    assert found["collapse", "entropy"].value == 0.0
    assert found["collapse", "accuracy"].first_step == 6
    assert found["saturation", "ceiling"].first_step == 6


def test_a_recipe_with_labels_may_come_to_one_answer() -> None:
    assert not [key for key in _found(_collapsing()) if key[0] in ("collapse", "saturation")]


def test_a_reward_that_stops_following_the_labels_is_found() -> None:
    stream = _steps(
        reward=lambda s, i: float(i % 2) if s < 6 else float(i % 4 < 2),
        gold=lambda s, i: float(i % 2) + (0.2 if i % 3 else 0.0),
        right=lambda s, i: i % 2,
        group=lambda s, i: f"{s}-{i}",
    )
    assert ("correlation", "base") in _found(stream)


def test_groups_without_variance_are_counted_whole() -> None:
    stream = _steps(reward=lambda s, i: 1.0 if s >= 5 else float(i % 2))
    wide = LOOKING.model_copy(update={"window": 320, "base_windows": 1})
    signals = Signals.model_validate({"zero_variance": {"limit": 0.5}})
    found = _found(stream, looking=wide.model_copy(update={"signals": signals}))
    assert found["zero_variance", "groups"].value == 1.0
    assert _look(stream).windows[0].zero_variance == 0.0


@pytest.mark.parametrize(("answer", "expected"), [("a constant output", True), ("0", False)])
def test_an_answer_that_many_prompts_share_is_found_where_it_is_long_enough(answer: str, expected: bool) -> None:
    stream = _steps(
        answer=lambda s, i: answer if s >= 6 and i % 2 else f"answer {s} {i}", group=lambda s, i: f"{s}-{i}"
    )
    found = _found(stream)
    assert (("shared_answer", answer) in found) is expected


def test_a_canary_that_is_accepted_is_an_alarm_and_counts_nowhere_else() -> None:
    stream = _steps(
        canary=lambda s, i: i == 0,
        accepted=lambda s, i: 1.0 if i else float(s == 8),
        cause=lambda s, i: "invalid: planted" if i == 0 else None,
    )
    report = _look(stream)
    [finding] = report.findings
    assert (finding.signal, finding.value) == ("canary", 1)
    assert report.canaries == STEPS
    assert all(window.causes == {} for window in report.windows)
    allowed = Signals.model_validate({"canary": {"limit": 1}})
    assert _look(stream, looking=LOOKING.model_copy(update={"signals": allowed})).findings == []


def test_a_signal_that_is_off_finds_nothing() -> None:
    stream = _steps(cause=lambda s, i: "invalid: resource_limit" if s >= 7 else None)
    off = LOOKING.model_copy(update={"signals": Signals(invalid=None)})
    assert ("invalid", "resource_limit") not in _found(stream, looking=off)


@pytest.mark.parametrize("size", [0, 1, 63, 300])
def test_a_short_stream_is_no_failure(size: int) -> None:
    report = _look(RecordStream.of(np.full(size, np.nan)), RecipeKind(unsupervised=True))
    assert report.findings == []
    assert any("records make none yet" in note for note in report.notes) is (size < 320)


def test_changes_are_dated() -> None:
    long = RecordStream.of([float(place >= 1280) for place in range(2560)], step=[place // 64 for place in range(2560)])
    changes = {one.series: one for one in _look(long, looking=LOOKING).changes}
    assert (changes["reward"].window, changes["reward"].step) == (20, 20)
    assert (changes["reward"].before, changes["reward"].after) == (0.0, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_a_base_without_a_disagreement_does_not_promise_that_there_is_none(seed: int) -> None:
    """The verifier errs in 3% throughout; none of the first labels happened to show it, and ever more is right."""
    dice = np.random.default_rng(seed)
    right = (dice.random(STEPS * SIZE) < np.repeat(np.linspace(0.5, 0.9, STEPS), SIZE)).astype(float)
    erred = (dice.random(STEPS * SIZE) < 0.03) & (np.arange(STEPS * SIZE) >= 4 * SIZE)
    accepted = np.where(erred, 1 - right, right)
    labels = np.where(np.arange(STEPS * SIZE) % 4 == 0, right, np.nan)
    stream = RecordStream.of(
        accepted, step=[s for s in range(STEPS) for _ in range(SIZE)], accepted=accepted, right=labels
    )
    assert "correlation" not in {signal for signal, _ in _found(stream)}
