"""The cluster bootstrap: exact in small cases, honest about too few, and covering what it claims."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from audits.statistics.clustered_confusion import METRICS, estimate_confusion
from audits.statistics.clusters import (
    bootstrap_intervals,
    cautious,
    cluster_totals,
    estimate_rate,
    rate_of_clusters,
    resample_totals,
)
from audits.statistics.confusion import Confusion, confusion
from audits.statistics.coverage import Situation, cluster_coverage, estimate_with_error, smallest_situations
from audits.statistics.proportion import wilson


def test_totals_by_cluster() -> None:
    columns = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    assert cluster_totals(columns, ["b", "a", "b"]).tolist() == [[2, 2], [0, 1]]
    assert cluster_totals(np.zeros((0, 2)), []).shape == (0, 2)


def test_resamples_follow_the_law_of_drawing_whole_clusters() -> None:
    rows = np.array([[0.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 4.0]])
    drawn = resample_totals(rows, 200_000, 0)
    exact = [tuple(rows[list(picked)].sum(axis=0)) for picked in product(range(4), repeat=4)]
    for outcome in set(exact):
        expected = exact.count(outcome) / len(exact)
        seen = float(np.mean((drawn == outcome).all(axis=1)))
        assert abs(seen - expected) < 4 * np.sqrt(expected * (1 - expected) / len(drawn))


def test_many_different_clusters_are_drawn_in_portions_and_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 9, size=(60, 2)).astype(float)
    whole = resample_totals(rows, 500, 3)
    monkeypatch.setattr("audits.statistics.clusters._DRAWS_AT_ONCE", 100)
    np.testing.assert_array_equal(resample_totals(rows, 500, 3), whole)


def test_interval_is_close_to_scipys() -> None:
    generator = np.random.default_rng(1)
    values = generator.gamma(2.0, size=400)
    rows = np.stack([values, np.ones_like(values)], axis=1)
    found = bootstrap_intervals(rows, {"mean": lambda totals: totals[:, 0] / totals[:, 1]}, replicates=20_000)["mean"]
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=2).confidence_interval
    assert found is not None
    assert found == pytest.approx(tuple(theirs), rel=0.006)


def test_same_seed_same_interval() -> None:
    errors, groups = [1, 0, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3]
    assert estimate_rate(errors, groups, seed=4) == estimate_rate(errors, groups, seed=4)


def test_groups_of_copies_are_worth_one_item_each() -> None:
    errors = np.random.default_rng(5).random(200) < 0.3
    found = estimate_rate(np.repeat(errors, 8), np.repeat(np.arange(200), 8))
    assert found.design_effect == pytest.approx(8 * 200 / 199)
    assert found.effective_trials == pytest.approx(199)
    assert found.interval == pytest.approx(wilson(int(errors.sum()), 200), abs=0.02)


@pytest.mark.parametrize(
    ("clusters", "with_error", "reason"),
    [
        (49, 40, "49 clusters"),
        (60, 29, "29 clusters with an error"),
        (60, 60, "0 clusters with an item that is no error"),
    ],
)
def test_says_too_few(clusters: int, with_error: int, reason: str) -> None:
    errors = [int(group < with_error) for group in range(clusters)]
    found = estimate_rate(errors, list(range(clusters)))
    assert found.too_few is not None
    assert found.too_few.startswith("too few: ")
    assert reason in found.too_few
    assert cautious(found) == wilson(with_error, clusters)


def test_enough_clusters_are_enough() -> None:
    found = estimate_rate([int(group < 30) for group in range(60)], list(range(60)))
    assert found.too_few is None
    assert cautious(found) == found.interval


def test_without_items_and_with_one_cluster_there_is_no_interval() -> None:
    nothing = estimate_rate([], [])
    assert (nothing.rate, nothing.interval, nothing.clusters) == (None, None, 0)
    alone = estimate_rate([1, 0, 1], ["a", "a", "a"])
    assert (alone.rate, alone.interval) == (2 / 3, None)
    assert cautious(nothing) == (0, 1)


def test_few_clusters_of_unequal_size_are_worth_fewer() -> None:
    found = estimate_rate([1] * 30 + [0] * 10, ["large"] * 30 + list(range(10)))
    assert found.effective_clusters == pytest.approx(40**2 / (30**2 + 10))
    # the large one has nearly all errors: the lower end is no better than that of so few independent items
    low, high = cautious(found)
    own = wilson(0.75 * found.effective_clusters, found.effective_clusters)
    assert low < own.low
    assert high >= own.high


def test_a_cluster_that_decides_is_too_few_however_many_there_are() -> None:
    sizes = np.concatenate([np.full(2_000, 4.0), [2_000.0]])
    rows = np.stack([np.tile([1.0, 0.0, 0.0], 667), sizes], axis=1)
    found = rate_of_clusters(rows, replicates=100)
    assert found.too_few == "too few: one of 2001 clusters has 20% of the items, and decides"
    assert rate_of_clusters(rows[:-1], replicates=100).too_few is None
    assert cautious(found).high > 0.2


@pytest.mark.parametrize(("tail", "correlation"), [(0.8, 0.3), (0.8, 0.9), (1.5, 0.9)])
def test_covers_where_sizes_of_clusters_have_a_heavy_tail(tail: float, correlation: float) -> None:
    """The bootstrap alone covers 71% to 81% there: the largest clusters have no error as a rule, but do have fates."""
    generator = np.random.default_rng(6)
    spread, held = 1 / correlation - 1, 0
    for repeat in range(100):
        sizes = np.minimum(np.floor(generator.pareto(tail, 400) + 1), 4_000)
        errors = generator.binomial(sizes.astype(np.int64), generator.beta(0.1 * spread, 0.9 * spread, 400))
        low, high = cautious(rate_of_clusters(np.stack([errors, sizes], axis=1), replicates=200, seed=repeat))
        held += low <= 0.1 <= high
    assert held >= 93


@pytest.mark.parametrize("correlation", [0.1, 0.9])
def test_the_cautious_interval_covers_where_there_are_too_few(correlation: float) -> None:
    generator = np.random.default_rng(8)
    sizes, spread, held = np.tile([2, 8, 20], 8), 1 / correlation - 1, 0
    for repeat in range(400):
        errors = generator.binomial(sizes, generator.beta(0.15 * spread, 0.85 * spread, size=24))
        rows = np.stack([errors, sizes], axis=1).astype(float)
        interval = cautious(rate_of_clusters(rows, replicates=10, seed=repeat))
        held += interval.low <= 0.15 <= interval.high
    assert held >= 370  # 380 expected at the level, less two standard errors


def test_no_error_at_all_gives_no_width_and_says_so() -> None:
    found = estimate_rate([0] * 120, list(range(120)))
    assert found.interval == (0, 0)
    assert found.too_few is not None
    assert found.design_effect is None
    assert cautious(found).high == pytest.approx(wilson(0, 120).high)


def test_metrics_of_totals_are_those_of_the_counts() -> None:
    generator = np.random.default_rng(6)
    for cells in generator.integers(0, 4, size=(300, 6)):
        counts = Confusion(*(int(cell) for cell in cells))
        for name, metric in METRICS.items():
            found, expected = float(metric(cells[None, :].astype(float))[0]), getattr(counts, name)
            assert np.isnan(found) if expected is None else found == pytest.approx(expected), name


def test_confusion_by_cluster_agrees_with_the_plain_one() -> None:
    generator = np.random.default_rng(7)
    right = generator.random(800) < 0.5
    accepted = np.where(generator.random(800) < 0.1, ~right, right).astype(float)
    accepted[::50] = np.nan
    groups = np.repeat(np.arange(100), 8)
    found = estimate_confusion(right, accepted, groups)
    assert found.counts == confusion(right, accepted)
    assert found.false_positives == rate_of_clusters(
        cluster_totals(np.stack([accepted == 1, ~np.isnan(accepted)], axis=1)[~right].astype(float), groups[~right])
    )
    for name, interval in found.intervals.items():
        assert interval is not None
        assert interval.low < getattr(found.counts, name) < interval.high


def test_metrics_that_are_undefined_have_no_interval() -> None:
    found = estimate_confusion([1] * 60, [1, 0] * 30, list(range(60)))
    assert found.intervals["youden"] is None
    assert found.false_positives.rate is None
    assert found.intervals["accuracy"] is not None


def test_expected_clusters_with_an_error() -> None:
    assert estimate_with_error(50, 8, 0.1, 0) == pytest.approx(50 * (1 - 0.9**8))
    # correlation 1/2: the rates of the clusters are Beta(p, 1 - p)
    assert estimate_with_error(50, 2, 0.3, 0.5) == pytest.approx(50 * (1 - 0.7 * 1.7 / 2))


@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.5])
def test_covers_what_it_claims_from_fifty_clusters_and_thirty_with_an_error(correlation: float) -> None:
    situation: Situation = next(
        one for one in smallest_situations() if one.clusters == 50 and one.correlation == correlation
    )
    found = cluster_coverage(50, situation.cluster_size, situation.rate, correlation, repeats=1500, replicates=1000)
    assert found.expected_with_error == pytest.approx(30, abs=0.01)
    # the long form, coverage_table, has the standard error to tell 92 from 93 percent
    assert 0.92 - found.error <= found.share <= 0.97 + found.error


def test_rare_errors_say_too_few_in_almost_every_audit() -> None:
    assert cluster_coverage(50, 8, 0.02, 0.1, repeats=100, replicates=100).too_few == 1.0
