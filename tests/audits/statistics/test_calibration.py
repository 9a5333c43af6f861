"""Reliability of stated confidences."""

from __future__ import annotations

import numpy as np
import pytest

from audits.statistics.arrays import Bools
from audits.statistics.calibration import Bin, calibration, run_calibration
from audits.statistics.drawn import DrawnRate
from audits.statistics.proportion import EVERYTHING, Interval, Proportion


def trials(one: Bin) -> int:
    assert isinstance(one.observed, Proportion)
    return one.observed.trials


def test_by_hand() -> None:
    found = calibration([0.1, 0.1, 0.9, 0.8, 1.0], [0, 1, 1, 1, 0], bins=2)
    low, high = found.bins
    assert (low.low, low.high, low.confidence) == pytest.approx((0, 0.5, 0.1))
    assert high.confidence == pytest.approx(0.9)
    assert (low.observed.rate, high.observed.rate) == (0.5, 2 / 3)
    assert found.error == pytest.approx(0.4 * 0.4 + 0.6 * (0.9 - 2 / 3))
    assert found.worst == pytest.approx(0.4)
    assert found.brier == pytest.approx((0.01 + 0.81 + 0.01 + 0.04 + 1) / 5)


def test_bins_of_equal_mass_hold_about_equally_many() -> None:
    confidence = np.random.default_rng(0).beta(8, 1, size=1000)
    found = calibration(confidence, confidence > 0.5, bins=10, spacing="mass")
    assert {trials(one) for one in found.bins} <= set(range(98, 103))


def test_a_single_confidence_is_one_bin() -> None:
    confidence, right = [0.7] * 10, [1] * 7 + [0] * 3
    for found in (calibration(confidence, right), calibration(confidence, right, spacing="mass")):
        assert len(found.bins) == 1
        assert found.error == pytest.approx(0, abs=1e-12)


def test_confidences_that_come_true_have_almost_no_error() -> None:
    generator = np.random.default_rng(1)
    confidence = generator.random(200_000)
    found = calibration(confidence, generator.random(200_000) < confidence)
    assert found.error < 0.01
    assert found.brier == pytest.approx(1 / 6, abs=0.003)
    assert sum(trials(one) for one in found.bins) == 200_000


def test_bins_must_be_some() -> None:
    with pytest.raises(ValueError, match="bins"):
        calibration([0.5], [1], bins=0)


def test_of_a_run_stated_confidences_are_all_known_and_the_truth_is_estimated() -> None:
    stated = np.array([0.1, 0.3, np.nan, 0.9, 0.8, 1.0])

    def right(some: Bools) -> DrawnRate:
        assert not some[2]
        low = bool(some[0])
        return DrawnRate(0.25 if low else 0.75, Interval(0.1, 0.9), float(some.sum()), 1, 1)

    found = run_calibration(stated, right, bins=2)
    assert found is not None
    assert [one.confidence for one in found.bins] == pytest.approx([0.2, 0.9])
    assert [one.observed.rate for one in found.bins] == [0.25, 0.75]
    assert [one.interval for one in found.bins] == [Interval(0.1, 0.9)] * 2
    assert found.error == pytest.approx(0.4 * 0.05 + 0.6 * 0.15)
    # where nothing is labelled nothing is known
    assert run_calibration(stated, lambda some: DrawnRate(None, EVERYTHING, 0, 0, 0)) is None
