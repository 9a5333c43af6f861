"""Tests after every step: exact where it can be counted by hand, honest false alarms, and delays that were foretold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from audits.statistics.arrays import Floats, Ints
from audits.statistics.sequential import (
    StratumCounts,
    detect_above,
    detect_rise,
    log_binomial,
    log_chance,
    log_fisher,
    steps_to_rise,
)
from audits.statistics.trends import Means, detect_shift, steps_to_shift


def _counts(hits: Ints, size: int) -> StratumCounts:
    """Of T x G groups of equal size."""
    trials = np.full_like(hits, size)
    rows = [one.sum(axis=1) for one in (hits, trials, hits * hits, hits * trials, trials * trials)]
    return StratumCounts(np.stack(rows).astype(np.float64)[None])


def _means(values: Floats) -> Means:
    """Of one stratum, eight groups a step."""
    return Means(values[None], np.full((1, len(values)), 8.0), np.zeros(1), np.zeros(1))


def _one(value: float) -> Floats:
    return np.array([value], dtype=np.float64)


@pytest.mark.parametrize(("hits", "trials", "before", "of"), [(5, 20, 3, 200), (4, 128, 0, 4872), (9, 10, 40, 100)])
def test_the_tail_is_fishers_or_a_little_more(hits: int, trials: int, before: int, of: int) -> None:
    exact = float(hypergeom.sf(hits - 1, trials + of, hits + before, trials))
    bound = math.exp(float(log_fisher(_one(hits), _one(trials), _one(before), _one(of))[0]))
    assert exact * (1 - 1e-9) <= bound <= 1.2 * exact


def test_the_tail_at_a_limit_is_the_binomial_one_or_a_little_more() -> None:
    exact = float(binom.sf(5, 100, 0.01))
    bound = math.exp(float(log_binomial(_one(6), _one(100), 0.01)[0]))
    assert exact <= bound <= 1.2 * exact


def test_the_chance_is_spent_once_over_a_run_of_any_length() -> None:
    spent = sum(math.exp(float(log_chance(0.01, step, 1, 1.0))) for step in range(20_000)) * 14
    assert spent == pytest.approx(0.01, rel=0.01)


def test_a_rate_that_jumps_is_found_and_dated() -> None:
    dice = np.random.default_rng(0)
    rate = np.where(np.arange(120) < 80, 0.03, 0.4)
    found = detect_rise(_counts(dice.binomial(1, np.repeat(rate[:, None], 8, axis=1)), 1), 0.01, first=16)
    assert found is not None
    assert 80 <= found.found <= 84
    assert abs(found.since - 80) <= 2
    assert found.before == pytest.approx(0.03, abs=0.02)
    assert found.after == pytest.approx(0.4, abs=0.1)


def test_one_prompt_whose_answers_all_fail_is_one_event() -> None:
    alone = np.zeros((100, 8), np.int64)
    alone[60, 3] = 8
    assert detect_rise(_counts(alone, 8), 0.01, first=16) is None
    assert detect_above(_counts(alone, 8), 0.01, 0.01) is None
    scattered = np.zeros((100, 8), np.int64)
    scattered[60] = 1
    assert detect_rise(_counts(scattered, 8), 0.01, first=16) is not None


def test_a_rate_over_its_limit_from_the_start_is_found_at_once() -> None:
    found = detect_above(_counts(np.full((3, 8), 8), 8), 0.01, 0.01)
    assert found is not None
    assert (found.found, found.last, found.since) == (0, 2, 0)


def test_slow_curves_are_no_shift_and_a_jump_is_one() -> None:
    dice = np.random.default_rng(1)
    steps = np.arange(200)
    curves = (0.2 + 0.002 * steps, 0.2 + 0.5 * (1 - np.exp(-steps / 30)), 0.2 + 0.5 / (1 + np.exp((90 - steps) / 30)))
    for curve in curves:
        values = curve + dice.normal(0, 0.05, 200)
        means = _means(values)
        assert detect_shift(means, 0.01, 0.0, first=16) is None
        jumped = _means(values + 0.25 * (steps >= 120))
        found = detect_shift(jumped, 0.01, 0.0, first=16)
        assert found is not None
        assert 120 <= found.found <= 126
        assert detect_shift(jumped, 0.01, 0.0, first=16, sides=-1) is None


def test_steps_that_were_not_read_are_no_jump() -> None:
    dice = np.random.default_rng(2)
    values = dice.normal(0, 0.05, 100) + np.where(np.arange(100) < 50, 0.0, 1.0)
    means = _means(values)
    assert detect_shift(means, 0.01, 0.0) is not None
    assert detect_shift(means, 0.01, 0.0, breaks=np.where(np.arange(100) < 50, 0, 50)) is None


@pytest.mark.parametrize(("rate", "alike"), [(0.05, 0.0), (0.02, 0.3)])
def test_a_rate_that_stays_alarms_no_oftener_than_was_stated(rate: float, alike: float) -> None:
    """At a stated 20%: 60 runs of 120 steps; more than 20 alarms of them have a chance below 1%."""
    dice = np.random.default_rng(3)
    alarms = np.zeros(2)
    for _ in range(60):
        chances = np.full((120, 8), rate)
        if alike:
            chances = dice.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike, (120, 8))
        counts = _counts(dice.binomial(8, chances), 8)
        alarms += detect_rise(counts, 0.2, first=16) is not None, detect_above(counts, 0.2, rate) is not None
    assert (alarms <= 20).all()


def test_a_mean_that_stays_alarms_no_oftener_than_was_stated() -> None:
    dice = np.random.default_rng(4)
    runs = (_means(dice.normal(0, 1, 120)) for _ in range(100))
    assert sum(detect_shift(run, 0.2, 0.0, first=16) is not None for run in runs) <= 30


def test_delays_are_about_what_was_foretold() -> None:
    dice = np.random.default_rng(5)
    clean = _counts(dice.binomial(1, 0.05, (80, 8)), 1)
    told = steps_to_rise(clean.totals()[0], 8.0, 0.25, 0.001, at=80)
    assert told is not None
    delays = []
    for _ in range(15):
        rate = np.where(np.arange(160) < 80, 0.05, 0.25)[:, None]
        found = detect_rise(_counts(dice.binomial(1, np.repeat(rate, 8, axis=1)), 1), 0.001, first=16)
        delays.append(80 if found is None else found.found - 79)
    assert 0.5 * told <= np.median(delays) <= 2 * told
    means = _means(dice.normal(0, 0.1, 80))
    assert steps_to_shift(means, 0.5, 0.001) in range(1, 5)
    assert steps_to_shift(means, 0.01, 0.001) is None


def test_nothing_is_found_in_nothing() -> None:
    assert detect_rise(StratumCounts(np.zeros((1, 5, 0))), 0.01) is None
    assert detect_above(StratumCounts(np.zeros((1, 5, 3))), 0.01, 0.01) is None
    assert detect_shift(_means(np.full(30, np.nan)), 0.01, 0.0) is None
