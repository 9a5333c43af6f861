"""The true share of right responses."""

from __future__ import annotations

import numpy as np
import pytest

from audits.statistics.prevalence import rogan_gladen


def test_worked_number() -> None:
    found = rogan_gladen(0.6, 200, false_positive=0.1, false_negative=0.2)
    assert found.rate == pytest.approx(0.714286, abs=1e-6)
    assert found.error == pytest.approx(0.049487, abs=1e-6)
    assert found.interval == pytest.approx((0.714286 - 1.959964 * 0.049487, 0.714286 + 1.959964 * 0.049487), abs=1e-5)


def test_measured_error_rates_add_their_own_uncertainty() -> None:
    found = rogan_gladen(0.6, 200, 0.1, 0.2, wrong=100, right=50)
    p, j = 5 / 7, 0.7
    variance = 0.6 * 0.4 / 200 + p**2 * 0.2 * 0.8 / 50 + (1 - p) ** 2 * 0.1 * 0.9 / 100
    assert found.error == pytest.approx(variance**0.5 / j)


def test_impossible_shares_are_clipped_and_shown() -> None:
    found = rogan_gladen(0.05, 100, false_positive=0.1, false_negative=0.1)
    assert found.rate == 0.0
    assert found.unclipped == pytest.approx(-0.0625)
    assert found.interval.low == 0.0


def test_interval_covers_in_simulation() -> None:
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(1000):
        wrong, right = generator.binomial(300, 0.1) / 300, generator.binomial(200, 0.2) / 200
        accepted = generator.binomial(500, 0.4 * 0.8 + 0.6 * 0.1) / 500
        low, high = rogan_gladen(accepted, 500, wrong, right, wrong=300, right=200).interval
        held += low <= 0.4 <= high
    assert 0.93 <= held / 1000 <= 0.97


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 10, 0.6, 0.4), "says nothing of the truth"),
        ((0.5, 10, 0.9, 0.4), "says nothing of the truth"),
        ((0.5, 0, 0.1, 0.1), "at least one item"),
        ((1.5, 10, 0.1, 0.1), "accepted_share"),
        ((float("nan"), 10, 0.1, 0.1), "accepted_share"),
    ],
)
def test_nothing_is_said_where_nothing_follows(arguments: tuple[float, int, float, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rogan_gladen(*arguments)
