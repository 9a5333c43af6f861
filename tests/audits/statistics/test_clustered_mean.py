"""The quick interval of a clustered mean: what it is by hand, and how often it holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from audits.statistics.clustered_mean import mean_interval


def test_of_clusters_of_equal_size_it_is_students_interval_of_their_means() -> None:
    means = np.array([0.25, 0.5, 0.75, 1.0, 0.0])
    found = mean_interval([(4 * mean, 4) for mean in means])
    half = t.ppf(0.975, 4) * means.std(ddof=1) / np.sqrt(5)
    assert found == pytest.approx((0.5 - half, 0.5 + half))


def test_large_clusters_weigh_more() -> None:
    found = mean_interval([(8.0, 8), (0.0, 2), (0.0, 2)])
    assert found is not None
    assert (found.low + found.high) / 2 == pytest.approx(8 / 12)


@pytest.mark.parametrize("clusters", [[], [(1.0, 4)], [(2.0, 4), (2.0, 4)], [(0.0, 0), (1.0, 2)], [(0.1 * 3, 3)] * 9])
def test_without_two_clusters_that_differ_there_is_none(clusters: list[tuple[float, int]]) -> None:
    assert mean_interval(clusters) is None


@pytest.mark.parametrize(("clusters", "size"), [(8, 8), (16, 4), (64, 8)])
def test_it_holds_the_truth_about_as_often_as_it_says(clusters: int, size: int) -> None:
    """Prompts of different difficulty, a response right or wrong: 2,000 steps, of which 95% should be covered."""
    draw = np.random.default_rng(0)
    difficulty = draw.beta(1.5, 1.5, size=(2000, clusters))
    right = draw.binomial(size, difficulty)
    covered = [
        found is not None and found.low <= 0.5 <= found.high
        for row in right
        for found in [mean_interval([(float(one), size) for one in row])]
    ]
    assert 0.93 <= np.mean(covered) <= 0.97
