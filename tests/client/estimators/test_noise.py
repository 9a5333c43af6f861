"""Group statistics with the errors of the verifier taken out."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trueward.estimators.advantage import centred, leave_one_out, standardised
from trueward.estimators.noise import Effect, Estimator, debiased, effect, true_rate, youden

GROUP = [1.0, 1.0, 1.0, 0.0]


def test_the_worked_group() -> None:
    truth = true_rate(GROUP, 0.1, 0.2, clip=False)
    assert truth == pytest.approx((0.928571, 0.257539), abs=1e-6)
    assert debiased(GROUP, 0.1, 0.2, clip=False) == pytest.approx([1.386750] * 3 + [-4.160251], abs=1e-6)
    assert true_rate(GROUP, 0.1, 0.2) == pytest.approx((0.875, 0.330719), abs=1e-6)
    assert debiased(GROUP, 0.1, 0.2) == pytest.approx([1.079898] * 3 + [-3.239695], abs=1e-6)


def test_the_spread_has_a_second_form() -> None:
    p = true_rate([1.0, 0.0, 1.0, 0.0, 0.0], 0.1, 0.2, clip=False)
    assert p is not None
    observed = 0.4 * 0.6
    second = (observed - p.rate * 0.2 * 0.8 - (1 - p.rate) * 0.1 * 0.9) / 0.7**2
    assert p.std**2 == pytest.approx(second)


def test_missing_scores_and_groups_without_any() -> None:
    assert debiased([1.0, None, 0.0], 0.1, 0.1)[1] == 0
    assert debiased([None], 0.1, 0.1) == [0.0]
    assert true_rate([], 0.1, 0.1) is None
    assert debiased([0.0, 0.0], 0.0, 0.0, clip=False) == [0.0, 0.0]


@pytest.mark.parametrize(("positive", "negative"), [(0.5, 0.5), (0.9, 0.4), (1.0, 0.0)])
def test_a_verifier_that_says_nothing_is_refused(positive: float, negative: float) -> None:
    with pytest.raises(ValueError, match="below 1"):
        youden(positive, negative)


def test_the_true_rate_is_found_on_average() -> None:
    chance = random.Random(0)
    rates = []
    for _ in range(4000):
        said = [float(chance.random() < (0.8 if chance.random() < 0.3 else 0.1)) for _ in range(16)]
        truth = true_rate(said, 0.1, 0.2, clip=False)
        assert truth is not None
        rates.append(truth.rate)
    mean = sum(rates) / len(rates)
    error = (sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1) / len(rates)) ** 0.5
    assert abs(mean - 0.3) < 3 * error


@given(st.lists(st.booleans(), min_size=2, max_size=16), st.floats(0, 0.45), st.floats(0, 0.45))
def test_the_effect_of_a_shared_correction_is_as_said(said: list[bool], positive: float, negative: float) -> None:
    assume(len(set(said)) == 2)
    raw = [float(value) for value in said]
    index = youden(positive, negative)
    mended = [(value - positive) / index for value in raw]
    assert effect(Estimator.STANDARDISED, rates_differ_within_group=False) is Effect.NONE
    assert standardised(mended, epsilon=0) == pytest.approx(standardised(raw, epsilon=0), abs=1e-9)
    for estimator, estimate in ((Estimator.CENTRED, centred), (Estimator.LEAVE_ONE_OUT, leave_one_out)):
        assert effect(estimator, rates_differ_within_group=False) is Effect.SCALE
        assert [index * value for value in estimate(mended)] == pytest.approx(estimate(raw), abs=1e-9)


@pytest.mark.parametrize("estimator", list(Estimator))
def test_rates_that_differ_within_a_group_turn_the_direction(estimator: Estimator) -> None:
    assert effect(estimator, rates_differ_within_group=True) is Effect.DIRECTION
