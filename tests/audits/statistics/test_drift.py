"""Drift of distributions, and since when: found where planted, silent where nothing changed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from audits.statistics.change_point import change_points
from audits.statistics.drift import psi, psi_limit, score_psi


def test_index_by_hand() -> None:
    p, q = 50.5 / 101, 20.5 / 101
    expected = (q - p) * math.log(q / p) + ((1 - q) - (1 - p)) * math.log((1 - q) / (1 - p))
    assert psi([50, 50], [20, 80]) == pytest.approx(expected)
    assert psi([20, 80], [50, 50]) == pytest.approx(expected)
    assert psi([30, 70], [30, 70]) == 0


def test_empty_bins_are_finite_and_nothing_counted_is_refused() -> None:
    assert 0 < psi([100, 0], [90, 10]) < math.inf
    for base, now in (([0, 0], [1, 1]), ([1, 1], []), ([1, 2], [1, 2, 3]), ([1, -1], [1, 1]), ([1, math.nan], [1, 1])):
        with pytest.raises(ValueError):
            psi(base, now)


def test_limit_is_exceeded_as_often_as_it_says() -> None:
    generator = np.random.default_rng(0)
    shares = [0.5, 0.3, 0.1, 0.1]
    limit = psi_limit(2000, 500, 4, false_alarms=0.05)
    drawn = [psi(generator.multinomial(2000, shares), generator.multinomial(500, shares)) for _ in range(4000)]
    assert np.mean(np.array(drawn) > limit) == pytest.approx(0.05, abs=0.012)
    with pytest.raises(ValueError):
        psi_limit(0, 10, 4)


def test_scores_that_moved_are_seen_and_others_not() -> None:
    generator = np.random.default_rng(1)
    base = generator.normal(size=5000)
    assert score_psi(base, generator.normal(size=5000)) < psi_limit(5000, 5000, 10)
    assert score_psi(base, generator.normal(0.5, size=5000)) > 0.2


def test_binary_scores_are_two_bins() -> None:
    base, now = [0.0] * 90 + [1.0] * 10, [0.0] * 50 + [1.0] * 50
    assert score_psi(base, now) == pytest.approx(psi([90, 10], [50, 50]))


def test_a_constant_that_moves_either_way_is_seen() -> None:
    assert score_psi([1.0] * 100, [1.0] * 100) == 0
    assert score_psi([1.0] * 100, [2.0] * 100) > 1
    assert score_psi([1.0] * 100, [0.0] * 100) > 1
    with pytest.raises(ValueError, match="no scores"):
        score_psi([], [1.0])


def test_planted_changes_are_dated() -> None:
    generator = np.random.default_rng(2)
    series = np.concatenate([generator.normal(level, 1, 60) for level in (0, 3, -1)])
    first, second = change_points(series)
    assert first.start == pytest.approx(60, abs=2)
    assert second.start == pytest.approx(120, abs=2)
    assert first.before == pytest.approx(0, abs=0.5)
    assert first.p_value <= 0.01


def test_a_step_without_noise_is_found_exactly() -> None:
    [change] = change_points([0.0] * 20 + [1.0] * 20)
    assert (change.start, change.before, change.after) == (20, 0.0, 1.0)


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "rare events"])
def test_clean_series_are_silent(kind: str) -> None:
    generator = np.random.default_rng(3)
    alarms = 0
    for repeat in range(300):
        match kind:
            case "normal":
                series = generator.normal(size=80)
            case "heavy tails":
                series = generator.standard_t(1.5, size=80)
            case _:
                series = generator.binomial(64, 0.01, size=80) / 64
        alarms += bool(change_points(series, false_alarms=0.02, shuffles=199, seed=repeat))
    assert alarms <= 15  # 6 expected, over 3 standard deviations above


def test_short_and_constant_series_have_no_change() -> None:
    assert change_points([]) == change_points([1, 2] * 4) == change_points([0.3] * 50) == []


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(ValueError, match="raise shuffles"):
        change_points([0.0] * 20, false_alarms=0.001, shuffles=99)
    with pytest.raises(ValueError, match="missing or infinite"):
        change_points([0.0, math.nan])


def test_same_seed_same_answer() -> None:
    series = np.random.default_rng(4).normal(size=40)
    assert change_points(series, seed=1) == change_points(series, seed=1)
