"""Ends of many rates at once: exact where they must be, and combined as two independent totals are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.interval_ends import Estimated, ends, lasting_ends, share_of, total, widen
from audits.statistics.proportion import clopper_pearson, wilson


def test_each_end_is_the_wider_of_wilsons_and_the_exact_one() -> None:
    counts = [(errors, trials) for trials in (1, 2, 7, 40) for errors in range(trials + 1)]
    errors, trials = (np.array(column, dtype=np.float64) for column in zip(*counts, strict=True))
    found = ends(errors, trials, 0.95)
    score, exact = ([of(*count) for count in counts] for of in (wilson, clopper_pearson))
    assert found.low == pytest.approx([min(a.low, b.low) for a, b in zip(score, exact, strict=True)], abs=1e-12)
    assert found.high == pytest.approx([max(a.high, b.high) for a, b in zip(score, exact, strict=True)], abs=1e-12)


def test_without_trials_nothing_is_known() -> None:
    for of in (ends, lasting_ends):
        found = of(np.zeros(1), np.zeros(1), 0.95)
        assert (found.low[0], found.high[0]) == (0, 1)


def test_lasting_ends_hold_however_often_one_looks() -> None:
    """Looked at after every label, exact ends miss a rate of 0.3 sooner or later far more often than 5%."""
    chance, rate = np.random.default_rng(4), 0.3
    sizes = np.arange(5.0, 300.0)
    missed = {"fixed": 0, "lasting": 0}
    for _ in range(200):
        errors = np.cumsum(chance.random(300) < rate)[4:-1].astype(np.float64)
        for name, of in (("fixed", ends), ("lasting", lasting_ends)):
            found = of(errors, sizes, 0.95)
            missed[name] += bool(((found.low > rate) | (found.high < rate)).any())
    assert missed["lasting"] <= 10
    assert missed["fixed"] >= 30


def test_a_total_adds_squares_and_what_is_unknown_in_full() -> None:
    values, lows, highs = np.array([3.0, 4.0]), np.array([0.0, 0.0]), np.array([6.0, 8.0])
    assert total(values, lows, highs) == Estimated(7, 2, 12)
    assert total(values, lows, highs, np.array([True, True])) == Estimated(7, 0, 14)
    assert total(values, lows, highs, further=11).low == pytest.approx(1)


def test_a_share_of_totals_that_are_known_is_known() -> None:
    assert share_of(Estimated(1, 1, 1), Estimated(3, 3, 3)) == pytest.approx((0.25, 0.25, 0.25))
    assert share_of(Estimated(0, 0, 2), Estimated(0, 0, 5)) == Estimated(0, 0, 1)
    assert share_of(Estimated(2, 2, 2), Estimated(0, 0, 0)) == Estimated(1, 1, 1)
    assert share_of(Estimated(0, 0, 0), Estimated(2, 2, 2)) == Estimated(0, 0, 0)


@given(*(st.floats(0.5, 50) for _ in range(2)), *(st.floats(0, 1) for _ in range(4)))
def test_a_share_lies_between_its_ends_and_its_complement_mirrors_it(
    part: float, other: float, a: float, b: float, c: float, d: float
) -> None:
    first = Estimated(part, part * (1 - a), part * (1 + b))
    second = Estimated(other, other * (1 - c), other * (1 + d))
    found, mirrored = share_of(first, second), share_of(second, first)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


def test_two_sources_of_error_widen_as_the_hypotenuse() -> None:
    found = widen(Estimated(0.5, 0.47, 0.54), Estimated(0.5, 0.46, 0.53))
    assert found == pytest.approx((0.5, 0.45, 0.55))
