"""Intervals of a rate: worked numbers, laws, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.coverage import exact_coverage
from audits.statistics.proportion import (
    Interval,
    clopper_pearson,
    difference,
    proportion,
    quantile,
    wilson,
)

counts = st.integers(1, 5000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


def test_worked_numbers() -> None:
    assert quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert wilson(3, 50) == pytest.approx((0.020615, 0.162171), abs=1e-6)
    assert clopper_pearson(3, 50) == pytest.approx((0.012549, 0.165482), abs=1e-6)
    assert wilson(0, 20) == pytest.approx((0, 0.161125), abs=1e-6)
    assert clopper_pearson(0, 20) == pytest.approx((0, 0.168433), abs=1e-6)
    # Newcombe (1998), table II
    assert difference((56, 70), (48, 80)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_without_items_nothing_is_known() -> None:
    assert proportion(0, 0) == (0, 0, None, Interval(0, 1), Interval(0, 1))
    assert difference((0, 0), (1, 2)) == Interval(-1, 1)


@pytest.mark.parametrize(("errors", "trials"), [(-1, 5), (6, 5), (math.nan, 5), (1, math.inf)])
def test_impossible_counts_are_refused(errors: float, trials: float) -> None:
    for form in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match="0 <= errors <= trials"):
            form(errors, trials)


@pytest.mark.parametrize("level", [0.0, 1.0, math.nan])
def test_impossible_levels_are_refused(level: float) -> None:
    for form in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match="level"):
            form(1, 5, level)


@given(counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_both_hold_the_rate_and_mirror_each_other(count: tuple[int, int], level: float) -> None:
    errors, trials = count
    for form in (wilson, clopper_pearson):
        low, high = form(errors, trials, level)
        assert 0 <= low <= errors / trials <= high <= 1
        assert form(trials - errors, trials, level) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(counts)
def test_exact_interval_holds_the_centre_of_the_score_interval(count: tuple[int, int]) -> None:
    low, high = wilson(*count)
    exact = clopper_pearson(*count)
    assert exact.low <= (low + high) / 2 <= exact.high


@given(counts)
def test_a_higher_level_is_wider(count: tuple[int, int]) -> None:
    for form in (wilson, clopper_pearson):
        assert form(*count, 0.99).width > form(*count, 0.9).width


def test_score_interval_covers_less_than_its_level_for_rare_errors() -> None:
    assert exact_coverage(wilson, 100, 0.01) == pytest.approx(0.921, abs=5e-4)


def test_exact_interval_never_covers_less_than_its_level() -> None:
    for trials in (1, 2, 5, 10, 30, 100):
        for rate in np.linspace(0.001, 0.999, 97):
            assert exact_coverage(clopper_pearson, trials, float(rate)) >= 0.95


@pytest.mark.parametrize(("trials", "rate"), [(100, 0.01), (30, 0.5), (60, 0.1), (200, 0.03)])
def test_simulated_coverage_is_the_exact_one(trials: int, rate: float) -> None:
    repeats = 20_000
    drawn = np.random.default_rng(11).binomial(trials, rate, size=repeats)
    for form in (wilson, clopper_pearson):
        ends = [form(errors, trials) for errors in range(trials + 1)]
        simulated = np.mean([ends[errors].low <= rate <= ends[errors].high for errors in drawn])
        exact = exact_coverage(form, trials, rate)
        assert abs(simulated - exact) <= 3 * math.sqrt(exact * (1 - exact) / repeats)
