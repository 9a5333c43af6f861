"""Partial pooling: against a Monte Carlo of the same model, its coverage, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.statistics.partial_pooling import pool_partly, worth
from audits.statistics.proportion import EVERYTHING, wilson

SLICES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=6)


@pytest.mark.parametrize(("errors", "trials"), [([1, 4, 0], [30, 8, 2]), ([0, 9], [60, 12])])
def test_the_posterior_is_that_of_the_model_by_simulation(errors: list[int], trials: list[int]) -> None:
    chance = np.random.default_rng(0)
    size = 400_000
    mean = chance.beta(0.5, 0.5, size)
    uniform = chance.random(size)
    alike = 3 * uniform / (1 - uniform)  # of which the density is 3 / (3 + k)²
    usable = (alike > 0.3) & (alike < 3e4) & (mean > 3.4e-4) & (mean < 1 - 3.4e-4)
    mean, alike = mean[usable], alike[usable]
    rates = chance.beta((mean * alike)[:, None], ((1 - mean) * alike)[:, None], (len(mean), len(errors) + 1))
    wrong, count = np.array(errors), np.array(trials)
    known = rates[:, :-1]
    with np.errstate(divide="ignore"):
        logs = (wrong * np.log(np.maximum(known, 1e-300)) + (count - wrong) * np.log1p(-known)).sum(axis=1)
    weight = np.exp(logs - logs.max())
    expected = weight @ rates / weight.sum()
    found = pool_partly(errors, trials)
    assert [one.rate for one in (*found.slices, found.elsewhere)] == pytest.approx(expected, abs=0.012)
    spread = np.sqrt(weight @ (rates - expected) ** 2 / weight.sum())
    assert [one.error for one in (*found.slices, found.elsewhere)] == pytest.approx(spread, abs=0.012)


def test_a_slice_with_few_labels_is_near_the_others_and_wide() -> None:
    errors, trials = [6, 5, 7, 0, 2], [120, 100, 140, 2, 2]
    found = pool_partly(errors, trials)
    none, both = found.slices[3], found.slices[4]
    assert 0.02 < none.rate < found.elsewhere.rate < both.rate < 0.5
    assert none.interval.width > 2 * found.slices[0].interval.width
    assert found.slices[0].rate == pytest.approx(0.05, abs=0.005)


def test_a_slice_with_many_labels_keeps_its_own_rate() -> None:
    found = pool_partly([4, 160, 6], [200, 200, 300])
    assert found.slices[1].rate == pytest.approx(0.8, abs=0.01)
    assert found.slices[0].rate == pytest.approx(0.02, abs=0.006)
    assert found.elsewhere.interval.width > 0.8


@settings(max_examples=15)
@given(SLICES)
def test_more_errors_never_lower_a_rate_and_a_rate_lies_in_its_interval(counts: list[tuple[int, int]]) -> None:
    errors, trials = [min(pair) for pair in counts], [max(pair) for pair in counts]
    found = pool_partly(errors, trials)
    for one in (*found.slices, found.elsewhere):
        assert 0 <= one.interval.low <= one.interval.high <= 1
        assert one.error > 0
    if errors[0] < trials[0]:
        more = pool_partly([errors[0] + 1, *errors[1:]], trials)
        assert more.slices[0].rate > found.slices[0].rate


@pytest.mark.parametrize(("mean", "alike"), [(0.05, 5.0), (0.05, 100.0), (0.3, 2.0)])
def test_intervals_cover(mean: float, alike: float) -> None:
    """Each of 40 audits has 8 measured slices and one that was not; the long form is benchmarks.slice_rates."""
    chance = np.random.default_rng(3)
    covered, above = [], []
    for _ in range(40):
        truth = chance.beta(mean * alike, (1 - mean) * alike, 9)
        trials = chance.choice([0, 1, 2, 5, 20, 80], 8)
        found = pool_partly(chance.binomial(trials, truth[:8]), trials)
        for rate, one in zip(truth, (*found.slices, found.elsewhere), strict=True):
            covered.append(one.interval.low <= rate <= one.interval.high)
            above.append(rate > one.interval.high)
    assert np.mean(covered) > 0.93
    assert np.mean(above) < 0.045


def test_what_an_interval_is_worth() -> None:
    for rate, trials in ((0.0, 7.5), (0.1, 40.0), (0.5, 300.0), (1.0, 12.0)):
        assert worth(rate, wilson(rate * trials, trials)) == pytest.approx(trials, rel=1e-6)
    assert worth(0.2, EVERYTHING) == 0


def test_no_slice_at_all_leaves_what_is_known_beforehand() -> None:
    found = pool_partly([], [])
    assert found.slices == []
    assert found.elsewhere.rate == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(("errors", "trials"), [([2], [1]), ([-1], [4]), ([1], [float("inf")]), ([1, 2], [4])])
def test_counts_that_cannot_be_are_refused(errors: list[float], trials: list[float]) -> None:
    with pytest.raises(ValueError, match=r"errors|trials"):
        pool_partly(errors, trials)
