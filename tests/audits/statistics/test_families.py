"""Which voters count as one, and the intervals of those that remain."""

from __future__ import annotations

import numpy as np
import pytest

from audits.statistics.arrays import Floats
from audits.statistics.consensus_intervals import Model, VoterEnds, profile
from audits.statistics.dawid_skene import dawid_skene
from audits.statistics.families import families, look_alikes

FIVE = [0.9, 0.85, 0.8, 0.85, 0.9]
"""Shares of right and of wrong items that each voter gets right."""


def drawn(right: list[float], size: int, seed: int, share: float = 0.4) -> Floats:
    """Independent votes, N x V, by a generator of its own."""
    generator = np.random.default_rng(seed)
    truth = generator.random(size) < share
    accepts = np.where(truth[:, None], right, 1 - np.array(right))
    return (generator.random(accepts.shape) < accepts).astype(float)


def family(of: int, apart: float, size: int = 4000) -> Floats:
    """Voters that share a core's errors, 5% and 7%, and flip its votes independently; then a judge on its own."""
    generator = np.random.default_rng(1)
    truth = generator.random(size) < 0.4
    core = np.where(truth, generator.random(size) >= 0.07, generator.random(size) < 0.05)
    votes = [core ^ (generator.random(size) < apart) for _ in range(of)]
    votes.append(np.where(truth, generator.random(size) >= 0.15, generator.random(size) < 0.1))
    return np.stack(votes, axis=1).astype(float)


def counted(votes: Floats) -> tuple[Floats, Floats]:
    patterns, counts = np.unique(votes, axis=0, return_counts=True)
    return patterns, counts.astype(float)


@pytest.mark.parametrize("of", [2, 3, 4])
@pytest.mark.parametrize("apart", [0.0, 0.005, 0.02])
def test_look_alikes_count_as_one(of: int, apart: float) -> None:
    assert families(*counted(family(of, apart))) == [tuple(range(of)), (of,)]


def test_voters_that_are_all_alike_are_one() -> None:
    assert families(*counted(np.repeat(family(1, 0.0)[:, :1], 4, axis=1))) == [(0, 1, 2, 3)]
    assert look_alikes(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), np.array([3.0, 2.0])) == [(0, 1), (2,)]


@pytest.mark.parametrize("seed", range(8))
def test_independent_voters_stay_apart(seed: int) -> None:
    assert families(*counted(drawn(FIVE, 6000, seed))) == [(voter,) for voter in range(5)]


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_a_pair_that_shares_errors_is_merged_by_what_the_fit_leaves(share: float) -> None:
    votes = drawn(FIVE, 6000, 3)
    copied = np.random.default_rng(4).random(len(votes)) < share
    votes[copied, 1] = votes[copied, 0]
    assert families(*counted(votes)) == [(0, 1), (2,), (3,), (4,)]


def test_a_missing_vote_is_no_agreement() -> None:
    votes = family(2, 0.0, 300)
    votes[::2, 0], votes[1::2, 1] = np.nan, np.nan
    assert look_alikes(*counted(votes)) == [(0,), (1,), (2,)]


def ends(votes: Floats, voter: int) -> VoterEnds:
    patterns, counts = counted(votes)
    fit = dawid_skene(patterns, counts=counts, iterations=5000, tolerance=1e-10)
    rates = np.stack([fit.confusion[:, 0, 1], fit.confusion[:, 1, 0]], axis=1)
    return profile(patterns.astype(np.int64), counts, float(fit.prior[1]), rates, voter)


@pytest.mark.parametrize(("right", "size"), [(FIVE, 300), ([0.9, 0.8, 0.85], 1000)])
def test_intervals_hold_the_rates_of_independent_voters(right: list[float], size: int) -> None:
    """Simulated audits; ``python -m benchmarks.consensus`` has more. Wilson's alone held 78 to 91% with three."""
    held = []
    for seed in range(10):
        found = ends(drawn(right, size, seed), seed % len(right))
        truth = 1 - right[seed % len(right)]
        held += [end.low <= truth <= end.high for end in found]
    assert np.mean(held) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / len(held))


def test_no_error_seen_is_no_certainty() -> None:
    votes = drawn([1.0, 0.8, 0.85, 0.9], 400, 1)
    found = ends(votes, 0)
    assert found.false_positive.low < 1e-3
    assert 0.005 < found.false_positive.high < 0.1


def test_the_gradient_is_that_of_the_loss() -> None:
    patterns, counts = counted(drawn(FIVE, 200, 0))
    patterns[0, 2] = np.nan
    model = Model(np.where(np.isnan(patterns), -1, patterns).astype(np.int64), counts, 0.01)
    at = np.random.default_rng(1).normal(0, 1, 11)
    gradient = model.loss(at)[1]
    for place in range(len(at)):
        step = np.zeros(len(at))
        step[place] = 1e-5
        slope = (model.loss(at + step)[0] - model.loss(at - step)[0]) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=1e-4, abs=1e-4)


def test_counted_votes_are_fitted_as_single_ones() -> None:
    votes = drawn(FIVE, 500, 2)
    patterns, counts = counted(votes)
    one, other = dawid_skene(votes), dawid_skene(patterns, counts=counts)
    np.testing.assert_allclose(one.confusion, other.confusion)
    assert one.shared_errors == pytest.approx(other.shared_errors)
    with pytest.raises(ValueError, match="counts must be"):
        dawid_skene(patterns, counts=counts[1:])
