"""Bets on groups: how often they alarm at the limit, how soon they do above it, and what they are by definition."""

from __future__ import annotations

import numpy as np
import pytest

from audits.statistics.arrays import Floats
from audits.statistics.betting import BETS, detect_mean_above
from audits.statistics.sequential import TAU

STEPS, GROUPS = 100, 8
STEP = np.repeat(np.arange(STEPS), GROUPS)


def _shares(dice: np.random.Generator, mean: float | Floats, alike: float, size: int = 8) -> Floats:
    """``alike``: the less, the more the responses of a group have one fate."""
    rates = dice.beta(np.multiply(mean, alike), np.multiply(np.subtract(1, mean), alike), GROUPS * STEPS)
    return dice.binomial(size, rates) / size


@pytest.mark.parametrize("alike", [0.2, 0.5, 4.0, 1e6])
@pytest.mark.parametrize("limit", [0.5, 0.9])
def test_runs_at_the_limit_alarm_no_more_often_than_is_stated(limit: float, alike: float) -> None:
    dice = np.random.default_rng(1)
    runs = [detect_mean_above(_shares(dice, limit, alike), STEP, STEPS, 0.1, limit) for _ in range(400)]
    assert sum(run is not None for run in runs) <= 52  # 10% and two standard errors


def test_a_mean_that_moves_below_the_limit_is_no_alarm() -> None:
    dice = np.random.default_rng(2)
    moving = np.repeat(0.45 + 0.45 * np.sin(np.arange(STEPS) / 5), GROUPS)
    runs = [detect_mean_above(_shares(dice, np.maximum(moving, 0.01), 1.0), STEP, STEPS, 0.1, 0.9) for _ in range(200)]
    assert sum(run is not None for run in runs) <= 10


@pytest.mark.parametrize("start", [0, 40])
def test_a_mean_above_the_limit_is_found_and_dated(start: int) -> None:
    dice = np.random.default_rng(3)
    mean = np.where(start <= STEP, 0.98, 0.3)
    for _ in range(20):
        found = detect_mean_above(_shares(dice, mean, 4.0), STEP, STEPS, 2e-4, 0.9)
        assert found is not None
        assert abs(found.since - start) <= 6
        assert start + 10 <= found.found <= start + 30
        assert found.last == STEPS - 1
        assert found.after == pytest.approx(0.98, abs=0.02)


def test_the_capital_is_the_product_of_bets_by_the_step_at_which_they_begin() -> None:
    shares, step = np.array([1.0, 0.5, 1.0, 1.0]), np.array([0, 0, 1, 2])
    put = [0.5, 0.5 * TAU / (TAU * (TAU + 1)), 0.5 * TAU / ((TAU + 1) * (TAU + 2))]
    among = [[(step >= start) & (step <= end) for start in range(end + 1)] for end in range(3)]
    capital = [
        sum(
            put[start] * float(np.prod(1 + bet / 0.8 * (shares[rows] - 0.8)))
            for start, rows in enumerate(of_end)
            for bet in BETS
        )
        / len(BETS)
        for of_end in among
    ]
    assert capital[2] > capital[0]
    just = detect_mean_above(shares, step, 3, 1 / (capital[2] * 0.999), 0.8)
    assert just is not None
    assert just.found == 2
    assert detect_mean_above(shares, step, 3, 1 / (capital[2] * 1.001), 0.8) is None


def test_the_ends_of_limits_are_no_failure() -> None:
    none = np.zeros(0)
    assert detect_mean_above(none, none.astype(int), 0, 0.01, 0.9) is None
    everything = np.ones(GROUPS * STEPS)
    assert detect_mean_above(everything, STEP, STEPS, 1e-6, 1.0) is None
    assert detect_mean_above(everything, STEP, STEPS, 1e-6, 0.0) is not None
    assert detect_mean_above(0 * everything, STEP, STEPS, 1e-6, 0.0) is None
