"""Slices: worst first, and no false alarm over the worst of many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from audits.statistics.comparisons import benjamini_hochberg, holm
from audits.statistics.slices import slices

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_a_planted_slice_comes_first_with_its_counts() -> None:
    errors = [0] * 95 + [1] * 5 + [0] * 30 + [1] * 20
    worst, other = slices(errors, ["plain"] * 100 + ["odd"] * 50)
    assert worst.name == "odd"
    assert (worst.proportion.errors, worst.proportion.trials, worst.rest) == (20, 50, 0.05)
    assert worst.p_value == pytest.approx(fisher_exact([[20, 30], [5, 95]], alternative="greater").pvalue)
    assert worst.adjusted == pytest.approx(2 * worst.p_value)
    assert other.adjusted == pytest.approx(1.0)
    assert worst.interval.low > 0.05


def test_one_slice_is_compared_with_nothing() -> None:
    [only] = slices([1, 0, 1], ["a", "a", "a"])
    assert (only.rest, only.p_value) == (None, 1.0)
    assert slices([], []) == []


@pytest.mark.parametrize("shared", [False, True], ids=["independent", "errors shared by groups"])
def test_false_alarms_stay_under_the_level(shared: bool) -> None:
    generator = np.random.default_rng(3)
    names = np.repeat(np.arange(20), 40)
    groups = np.repeat(np.arange(100), 8)
    alarms, plain = 0, 0
    for _ in range(200):
        rates = generator.beta(0.2, 0.8, 100)[groups] if shared else 0.2
        errors = generator.random(800) < rates
        alarms += slices(errors, names, groups)[0].adjusted < 0.05
        plain += slices(errors, names)[0].adjusted < 0.05
    assert alarms <= 22  # 10 expected, 4 standard deviations above
    if shared:
        assert plain > 60  # what the test by groups is for


def test_slices_that_differ_are_found_although_groups_share_errors() -> None:
    generator = np.random.default_rng(4)
    groups = np.repeat(np.arange(300), 4)
    names = np.where(groups % 5 == 0, "odd", "plain")
    rates = np.where(np.arange(300) % 5 == 0, generator.beta(1.2, 0.8, 300), generator.beta(0.2, 1.8, 300))
    worst = slices(generator.random(1200) < rates[groups], names, groups)[0]
    assert worst.name == "odd"
    assert worst.adjusted < 0.001


@given(p_values)
def test_guards_never_lower_a_p_value_and_keep_the_order(raw: list[float]) -> None:
    order = np.argsort(raw, kind="stable")
    for guard in (holm, benjamini_hochberg):
        adjusted = guard(raw)
        assert (adjusted >= np.array(raw) - 1e-12).all()
        assert (np.diff(adjusted[order]) >= -1e-12).all()
        assert adjusted.max() <= 1
    assert (holm(raw) >= benjamini_hochberg(raw) - 1e-12).all()


def test_no_p_values_are_none() -> None:
    assert holm([]).size == benjamini_hochberg([]).size == 0
