"""Group statistics with the errors of the verifier taken out."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trueward.estimators.advantage import centre, leave_one_out, standardise
from trueward.estimators.noise import Effect, Estimator, debias, effect, true_rate, youden

GROUP = [1.0, 1.0, 1.0, 0.0]


def test_the_worked_group() -> None:
    truth = true_rate(GROUP, 0.1, 0.2, clip=False)
    # .928571 * .071429 + .75 * .25 / (3 * .7^2) = .066327 + .127551
    assert truth == pytest.approx((0.928571, 0.193878**0.5), abs=1e-6)
    assert debias(GROUP, 0.1, 0.2, clip=False) == pytest.approx([0.811107] * 3 + [-2.433321], abs=1e-5)
    # .875 * .125 + .127551
    assert true_rate(GROUP, 0.1, 0.2) == pytest.approx((0.875, 0.236926**0.5), abs=1e-6)
    assert debias(GROUP, 0.1, 0.2) == pytest.approx([0.733728] * 3 + [-2.201183], abs=1e-5)
    assert true_rate([1.0, 0.0, 1.0, 0.0], 0.3, 0.3) == pytest.approx((0.5, 0.5))


def test_the_spread_has_a_second_form() -> None:
    """The sample variance of the verdicts less the variance of the errors, over J squared."""
    p = true_rate([1.0, 0.0, 1.0, 0.0, 0.0], 0.1, 0.2, clip=False)
    assert p is not None
    observed = 0.4 * 0.6 * 5 / 4
    second = (observed - p.rate * 0.2 * 0.8 - (1 - p.rate) * 0.1 * 0.9) / 0.7**2
    assert p.std**2 == pytest.approx(second)


def test_missing_scores_and_groups_without_any() -> None:
    assert debias([1.0, None, 0.0], 0.1, 0.1)[1] == 0
    assert debias([None], 0.1, 0.1) == [0.0]
    assert true_rate([], 0.1, 0.1) is None
    assert debias([0.0, 0.0], 0.0, 0.0, clip=False) == [0.0, 0.0]


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


@given(st.floats(0, 1), st.floats(0, 0.45), st.floats(0, 0.45), st.integers(2, 24))
def test_the_square_of_the_spread_is_right_on_average(
    right: float, positive: float, negative: float, size: int
) -> None:
    """Exactly, over all numbers of accepted responses; the plug-in alone is too small by the variance of p."""
    accepting = right * (1 - negative) + (1 - right) * positive
    index = youden(positive, negative)
    mean = 0.0
    for count in range(size + 1):
        chance = math.comb(size, count) * accepting**count * (1 - accepting) ** (size - count)
        share = count / size
        rate = (share - positive) / index
        variance = share * (1 - share) / ((size - 1) * index**2)
        mean += chance * (rate * (1 - rate) + variance)
        truth = true_rate([1.0] * count + [0.0] * (size - count), positive, negative, clip=False)
        assert truth is not None
        assert truth.std**2 == pytest.approx(max(rate * (1 - rate) + variance, 0), abs=1e-9)
    assert mean == pytest.approx(right * (1 - right), abs=1e-9)


@given(st.lists(st.booleans(), min_size=2, max_size=16))
def test_an_exact_verifier_has_the_sample_variance(said: list[bool]) -> None:
    truth = true_rate([float(one) for one in said], 0, 0, clip=False)
    assert truth is not None
    assert truth.std**2 == pytest.approx(statistics.variance(said), abs=1e-12)


@pytest.mark.parametrize(("size", "least", "most"), [(8, 0.45, 0.5), (16, 0.45, 0.5), (64, 0.45, 0.5)])
def test_advantages_of_a_weak_verifier_are_not_inflated(size: int, least: float, most: float) -> None:
    """J = .3, true spread .490: the plug-in's mean was .33, .36 and .44, which made advantages up to 1.6 times too
    large. Drawn by a generator of its own."""
    generator = np.random.default_rng(5)
    right = generator.random((4000, size)) < 0.4
    accepted = np.where(right, generator.random(right.shape) >= 0.35, generator.random(right.shape) < 0.35)
    spreads, given_, exact = [], 0.0, 0.0
    for group in accepted.astype(float).tolist():
        truth = true_rate(group, 0.35, 0.35)
        assert truth is not None
        spreads.append(truth.std)
        centre = statistics.fmean(group)
        given_ += sum(abs(one) for one in debias(group, 0.35, 0.35))
        exact += sum(abs(one - centre) for one in group) / 0.3 / 0.24**0.5
    assert least < statistics.fmean(spreads) <= most
    assert 0.95 < given_ / exact < 1.12


@given(st.lists(st.booleans(), min_size=2, max_size=16), st.floats(0, 0.45), st.floats(0, 0.45))
def test_the_effect_of_a_shared_correction_is_as_said(said: list[bool], positive: float, negative: float) -> None:
    assume(len(set(said)) == 2)
    raw = [float(value) for value in said]
    index = youden(positive, negative)
    mended = [(value - positive) / index for value in raw]
    assert effect(Estimator.STANDARDISED, rates_differ_within_group=False) is Effect.NONE
    assert standardise(mended, epsilon=0) == pytest.approx(standardise(raw, epsilon=0), abs=1e-9)
    for estimator, estimate in ((Estimator.CENTRED, centre), (Estimator.LEAVE_ONE_OUT, leave_one_out)):
        assert effect(estimator, rates_differ_within_group=False) is Effect.SCALE
        assert [index * value for value in estimate(mended)] == pytest.approx(estimate(raw), abs=1e-9)


@pytest.mark.parametrize("estimator", list(Estimator))
def test_rates_that_differ_within_a_group_turn_the_direction(estimator: Estimator) -> None:
    assert effect(estimator, rates_differ_within_group=True) is Effect.DIRECTION
