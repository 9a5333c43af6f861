"""Numbers of labels, against searches through every number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from audits.statistics.planner import labels_for_bound, labels_for_width, responses
from audits.statistics.proportion import clopper_pearson, wilson


def power(labels: int, rate: float, bound: float, level: float) -> float:
    passing = [errors for errors in range(labels + 1) if clopper_pearson(errors, labels, level).high <= bound]
    return float(binom.cdf(max(passing), labels, rate)) if passing else 0.0


@pytest.mark.parametrize(
    ("rate", "bound", "wanted", "level"),
    [
        (0.02, 0.1, 0.8, 0.95),
        (0.0, 0.05, 0.8, 0.95),
        (0.1, 0.2, 0.9, 0.9),
        (0.3, 0.5, 0.99, 0.95),
        (0.7, 0.9, 0.8, 0.95),
    ],
)
def test_every_number_from_the_planned_one_on_has_the_power(
    rate: float, bound: float, wanted: float, level: float
) -> None:
    planned = labels_for_bound(rate, bound, wanted, level)
    assert power(planned - 1, rate, bound, level) < wanted
    assert min(power(labels, rate, bound, level) for labels in range(planned, planned + 60)) >= wanted


def test_a_flawless_verifier_needs_what_the_exact_interval_needs() -> None:
    # (1 - bound)^n <= 0.025
    assert labels_for_bound(0.0, 0.02) == math.ceil(math.log(0.025) / math.log(0.98))


def test_a_rate_next_to_the_bound_is_affordable_or_refused() -> None:
    assert labels_for_bound(0.0195, 0.02) == pytest.approx((1.96 + 0.84) ** 2 * 0.02 * 0.98 / 0.0005**2, rel=0.03)
    with pytest.raises(ValueError, match="too close to the bound"):
        labels_for_bound(0.0199999, 0.02)


@pytest.mark.parametrize(("rate", "bound"), [(0.02, 0.02), (0.5, 0.1), (-0.1, 0.1), (0.0, 1.0)])
def test_hopeless_plans_are_refused(rate: float, bound: float) -> None:
    with pytest.raises(ValueError):
        labels_for_bound(rate, bound)


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.5, 1.0])
@pytest.mark.parametrize("width", [0.3, 0.05, 0.01])
def test_width_is_reached_and_not_before(rate: float, width: float) -> None:
    planned = labels_for_width(rate, width)
    assert wilson(rate * planned, planned).width <= width
    assert wilson(rate * (planned - 1), planned - 1).width > width


def test_responses_hold_the_labels() -> None:
    assert responses(100, 0.25) == 400
    assert responses(100, 0.25, group_size=8, correlation=0.5) == 1800
    generator = np.random.default_rng(0)
    assert generator.binomial(responses(100, 0.25), 0.25, 20_000).mean() == pytest.approx(100, rel=0.01)
    for share, size, correlation in ((0.0, 1, 0.0), (0.5, 0, 0.0), (0.5, 1, 1.5)):
        with pytest.raises(ValueError):
            responses(10, share, size, correlation)
