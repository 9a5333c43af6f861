"""BCa in cases that can be worked by hand: ties with the estimate, skewness, and what a statistic leaves undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits.statistics.arrays import Floats
from audits.statistics.clusters import REPLICATES, Statistic, bootstrap_intervals, resample_totals
from audits.statistics.proportion import Interval

MANY = 50_000
"""Resamples, so many that a whole number of errors is the same by drawing and by the law that they follow."""

ONE_BY_ONE = [(20, 10, 5, 15), (30, 3, 1, 8), (50, 5, 2, 11), (50, 10, 5, 17), (50, 40, 33, 45), (16, 4, 1, 9)]
"""Clusters of one item each, how many are errors, and the ends of the interval as numbers of errors."""


def rate(totals: Floats) -> Floats:
    shares: Floats = totals[:, 0] / totals[:, 1]
    return shares


def alone(clusters: int, errors: int) -> Floats:
    """Clusters of one item each."""
    return np.stack([np.arange(clusters) < errors, np.ones(clusters)], axis=1).astype(float)


def interval(rows: Floats, statistic: Statistic = rate, *, level: float = 0.95, replicates: int = MANY) -> Interval:
    found = bootstrap_intervals(rows, {"it": statistic}, level=level, replicates=replicates)["it"]
    assert found is not None
    return found


def reach(clusters: int, level: float = 0.95) -> float:
    """Hesterberg (2015), section 3: the quantile that makes up for the narrowness of few clusters."""
    return float(math.sqrt(clusters / (clusters - 1)) * stats.t.ppf(0.5 + level / 2, clusters - 1))


@pytest.mark.parametrize(("clusters", "errors", "low", "high"), ONE_BY_ONE)
def test_a_rate_of_single_items_has_the_interval_of_its_closed_form(
    clusters: int, errors: int, low: int, high: int
) -> None:
    """Resamples are binomial, and up to a quarter of them equal the estimate: half of these count as below it.

    Efron (1987): bias Φ⁻¹(P(X < k) + P(X = k) / 2); acceleration a sixth of the skewness of one item's share,
    (1 - 2p) / (6 √(npq)).
    """
    share = errors / clusters
    law = stats.binom(clusters, share)
    bias = stats.norm.ppf(law.cdf(errors - 1) + law.pmf(errors) / 2)
    acceleration = (1 - 2 * share) / (6 * math.sqrt(clusters * share * (1 - share)))
    shifted = bias + np.array([-reach(clusters), reach(clusters)])
    worked = law.ppf(stats.norm.cdf(bias + shifted / (1 - acceleration * shifted)))
    assert worked.tolist() == [low, high]
    assert interval(alone(clusters, errors)) == pytest.approx((low / clusters, high / clusters))


@pytest.mark.parametrize(("clusters", "errors"), [case[:2] for case in ONE_BY_ONE])
def test_ties_and_skewness_are_treated_as_scipy_does(clusters: int, errors: int) -> None:
    """Its interval has the normal quantile, so it is asked for the level at which that is ours."""
    rows = alone(clusters, errors)
    level = 2 * stats.norm.cdf(reach(clusters)) - 1
    theirs = stats.bootstrap(
        (rows[:, 0],), np.mean, n_resamples=20_000, method="BCa", confidence_level=level, rng=2, batch=1000
    )
    assert interval(rows) == pytest.approx(tuple(theirs.confidence_interval))


def test_where_half_of_the_clusters_are_errors_the_interval_is_symmetric() -> None:
    """It is only because ties count half: 18 percent of the resamples equal the estimate."""
    low, high = interval(alone(20, 10))
    assert low + high == pytest.approx(1)


@pytest.mark.parametrize(("clusters", "errors"), [(30, 3), (50, 10), (16, 4)])
def test_counting_what_is_no_error_mirrors_the_interval(clusters: int, errors: int) -> None:
    low, high = interval(alone(clusters, errors))
    assert interval(alone(clusters, clusters - errors)) == pytest.approx((1 - high, 1 - low))


def test_beyond_the_pole_of_a_skewed_statistic_lies_the_extreme_resample() -> None:
    """At such a level one less acceleration times quantile is below 0, on the side of the longer tail."""
    drawn = resample_totals(alone(12, 1), REPLICATES)[:, 0] / 12
    assert interval(alone(12, 1), level=0.99999, replicates=REPLICATES) == (0, drawn.max())
    drawn = resample_totals(alone(12, 11), REPLICATES)[:, 0] / 12
    assert interval(alone(12, 11), level=0.99999, replicates=REPLICATES) == (drawn.min(), 1)


def test_an_estimate_beyond_all_resamples_still_has_an_interval() -> None:
    """No resample has each of thirty clusters once, so none comes near the total: the bias is bounded."""
    sizes = 2.0 ** np.arange(30)

    def nearness(totals: Floats) -> Floats:
        distance: Floats = np.abs(totals[:, 1] - sizes.sum())
        return -distance

    rows = np.stack([np.ones(30), sizes], axis=1)
    drawn = nearness(resample_totals(rows, REPLICATES))
    low, high = interval(rows, nearness, replicates=REPLICATES)
    assert drawn.max() < 0
    assert np.quantile(drawn, 0.999) < low < high <= drawn.max()


def test_resamples_of_which_nothing_can_be_said_are_left_out_while_they_are_few() -> None:
    """Of 20 single items with 10 errors 3.7 percent of the resamples have 6 errors, and 7.4 percent have 7."""

    def but(errors: int) -> Statistic:
        return lambda totals: np.where(totals[:, 0] == errors, np.nan, rate(totals))

    assert interval(alone(20, 10), but(6)) == interval(alone(20, 10))
    assert bootstrap_intervals(alone(20, 10), {"it": but(7)}, replicates=MANY) == {"it": None}
    assert bootstrap_intervals(alone(20, 10), {"it": but(10)}, replicates=MANY) == {"it": None}


def test_a_cluster_without_which_nothing_can_be_said_has_no_influence() -> None:
    """The rate of no fewer than 30 items: each cluster left out leaves it undefined, so nothing accelerates."""

    def of_thirty(totals: Floats) -> Floats:
        return np.where(totals[:, 1] < 30, np.nan, rate(totals))

    law = stats.binom(30, 0.1)
    bias = stats.norm.ppf(law.cdf(2) + law.pmf(3) / 2)
    worked = law.ppf(stats.norm.cdf(2 * bias + np.array([-reach(30), reach(30)]))) / 30
    assert interval(alone(30, 3), of_thirty) == pytest.approx(tuple(worked))
    assert interval(alone(30, 3)).high > worked[1]


def test_a_cluster_without_which_nothing_can_be_said_counts_among_the_others() -> None:
    """It stands at the estimate. There are two kinds of clusters, and the skewness of two values is the same wherever
    they lie in that order."""

    def with_errors(totals: Floats) -> Floats:
        return np.where((totals[:, 1] == 29) & (totals[:, 0] == 2), np.nan, rate(totals))

    assert interval(alone(30, 3), with_errors) == interval(alone(30, 3)) == pytest.approx((1 / 30, 8 / 30))


def test_what_is_undefined_on_the_data_has_no_interval_whatever_the_resamples_say() -> None:
    """Of these clusters no resample has all."""
    rows = np.stack([np.ones(30), 2.0 ** np.arange(30)], axis=1)

    def of_another_size(totals: Floats) -> Floats:
        return np.where(totals[:, 1] == rows[:, 1].sum(), np.nan, totals[:, 1])

    assert not np.isnan(of_another_size(resample_totals(rows, REPLICATES))).any()
    assert bootstrap_intervals(rows, {"it": of_another_size}) == {"it": None}


def test_a_statistic_that_never_moves_has_no_width() -> None:
    def size(totals: Floats) -> Floats:
        return totals[:, 1]

    assert interval(alone(20, 10), size) == Interval(20, 20)


def test_statistics_share_their_resamples_and_need_two_clusters() -> None:
    def doubled(totals: Floats) -> Floats:
        return 2 * rate(totals)

    found = bootstrap_intervals(alone(20, 6), {"rate": rate, "doubled": doubled}, replicates=200)
    assert found["rate"] is not None
    assert found["doubled"] == pytest.approx(tuple(2 * end for end in found["rate"]))
    assert bootstrap_intervals(alone(1, 1), {"rate": rate, "doubled": doubled}) == {"rate": None, "doubled": None}
