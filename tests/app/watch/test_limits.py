"""What is wrong from the first step on, which no comparison with earlier steps shows; and what only looks like it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from app.watch.analysis import look
from app.watch.signal_input import RecipeKind
from app.watch.stream import RecordStream
from trueward.wire.watch import Looking, Signals

STEPS, PROMPTS, GROUP = 40, 16, 8
ROWS = PROMPTS * GROUP


def _run(share: Callable[[int], float], seed: int, kind: str = "invalid: no_answer") -> RecordStream:
    """``share`` of each step's records have no verdict for the cause ``kind``, more of one prompt than of the next."""
    dice = np.random.default_rng(seed)
    rates = np.repeat([share(step) for step in range(STEPS)], PROMPTS)
    caused = dice.random(STEPS * ROWS) < np.repeat(dice.beta(4 * rates, 4 * (1 - rates)), GROUP)
    right = dice.random(STEPS * ROWS) < np.repeat(dice.beta(1.2, 1.2, STEPS * PROMPTS), GROUP)
    paid = np.where(caused, np.nan if kind.startswith("missing") else 0.0, right)
    return RecordStream.of(
        paid,
        step=np.repeat(np.arange(STEPS), ROWS).tolist(),
        group=(np.arange(STEPS * ROWS) // GROUP).tolist(),
        cause=[kind if one else None for one in caused],
        accepted=paid,
        length=np.exp(dice.normal(5, 0.4, STEPS * ROWS)),
        scores={"math": paid},
    )


def _found(stream: RecordStream, steps: int = STEPS, looking: Looking | None = None) -> dict[str, int | None]:
    """The signals that found something in the first steps, each with the step at whose end it did."""
    part = stream.part(slice(0, steps * ROWS))
    report = look("r", part, looking or Looking(), RecipeKind((0.0, 1.0)))
    return {one.signal: one.found_step for one in report.findings}


@pytest.mark.parametrize("seed", range(4))
def test_responses_that_are_nearly_all_invalid_from_the_start_are_found(seed: int) -> None:
    found = _found(_run(lambda step: 0.98, seed), 12)
    assert (found["invalid"] or 0) < 12


@pytest.mark.parametrize("seed", range(4))
def test_a_sudden_rise_of_invalid_is_found(seed: int) -> None:
    found = _found(_run(lambda step: 0.05 if step < 20 else 0.6, seed), 24)
    assert 20 <= (found["invalid"] or 0) < 24


@pytest.mark.parametrize("seed", range(6))
def test_a_policy_that_learns_the_form_of_an_answer_is_no_alarm(seed: int) -> None:
    learning = _run(lambda step: max(0.05, 0.6 - 0.02 * step), seed)
    assert [_found(learning, steps) for steps in (4, 12, 24, STEPS)] == [{}] * 4


@pytest.mark.parametrize("share", [0.8, 0.88])
def test_many_invalid_responses_below_the_limit_are_no_alarm(share: float) -> None:
    assert [_found(_run(lambda step: share, seed)) for seed in range(6)] == [{}] * 6


def test_timeouts_all_over_are_found_at_the_first_step() -> None:
    assert _found(_run(lambda step: 0.9, 0, "missing: time_limit"), 1) == {"missing": 0}


def test_groups_that_all_have_equal_rewards_from_the_start_are_found() -> None:
    """Every prompt is too hard or too easy: the rewards differ between groups, and never within one."""
    stream = _run(lambda step: 0.001, 0)
    paid = np.repeat(np.random.default_rng(1).integers(0, 2, STEPS * PROMPTS), GROUP).astype(float)
    flat = RecordStream.of(paid, step=stream.step.tolist(), group=stream.group.tolist(), scores={"math": paid})
    assert (_found(flat, 12)["zero_variance"] or 0) < 12
    assert _found(flat, 12, Looking(signals=Signals(zero_variance=None))) == {}


def test_rewards_that_are_one_number_are_found_before_there_is_a_base() -> None:
    same = RecordStream.of(np.zeros(5 * ROWS), step=np.repeat(np.arange(5), ROWS).tolist())
    assert "constant_component" in _found(same, 4)
