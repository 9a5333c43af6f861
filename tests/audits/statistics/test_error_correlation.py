"""How far the errors of a group are found to correlate."""

from __future__ import annotations

import numpy as np
import pytest

from audits.statistics.error_correlation import ErrorCorrelation, estimate_error_correlation


@pytest.mark.parametrize("correlation", [0.02, 0.3, 0.8])
def test_finds_the_correlation_that_was_simulated_whatever_the_sizes(correlation: float) -> None:
    chance, spread = np.random.default_rng(2), 1 / correlation - 1
    sizes = np.minimum(np.floor(chance.pareto(1.2, 4_000) + 2), 200).astype(np.int64)
    place = np.repeat(np.arange(4_000), sizes)
    errors = (chance.random(len(place)) < chance.beta(0.1 * spread, 0.9 * spread, 4_000)[place]).astype(np.float64)
    found = estimate_error_correlation(errors, np.ones(len(place)), np.ones(len(place)), place)
    assert found.correlation == pytest.approx(correlation, abs=0.05)
    assert found.correlation <= found.high < found.correlation + 0.06


def test_weights_make_up_for_errors_that_were_drawn_more_often() -> None:
    chance, place = np.random.default_rng(4), np.repeat(np.arange(20_000), 6)
    errors = chance.random(len(place)) < chance.beta(0.1, 0.4, 20_000)[place]
    probability = np.where(errors, 0.9, 0.3)
    drawn = chance.random(len(place)) < probability
    found = estimate_error_correlation(
        errors[drawn].astype(np.float64), np.ones(drawn.sum()), 1 / probability[drawn], place[drawn]
    )
    assert found.correlation == pytest.approx(1 / 1.5, abs=0.1)


def test_without_an_error_beside_another_member_nothing_is_known() -> None:
    assert estimate_error_correlation(
        np.array([1.0, 0.0]), np.ones(2), np.ones(2), np.array([0, 1])
    ) == ErrorCorrelation(0.0, 1.0, 0)
    assert estimate_error_correlation(np.zeros(4), np.ones(4), np.ones(4), np.array([0, 0, 1, 1])) == ErrorCorrelation(
        0.0, 1.0, 0
    )


def test_few_groups_leave_much_room_above() -> None:
    errors, place = np.array([1.0, 0.0] + [0.0] * 38), np.repeat(np.arange(20), 2)
    found = estimate_error_correlation(errors, np.ones(40), np.ones(40), place)
    assert found.correlation == 0
    assert found.high > 0.7
