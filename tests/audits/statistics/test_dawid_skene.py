"""Consensus without gold: one step by hand, recovery of planted errors, and the guards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from audits.statistics.arrays import Floats
from audits.statistics.dawid_skene import dawid_skene, posteriors

ITEMS = 6000


def drawn(
    sensitivity: list[float], specificity: list[float], share: float = 0.4, seed: int = 0
) -> tuple[Floats, Floats]:
    """Truth (N) and independent votes (N x V)."""
    generator = np.random.default_rng(seed)
    truth = generator.random(ITEMS) < share
    accepts = np.where(truth[:, None], sensitivity, 1 - np.array(specificity))
    return truth.astype(float), (generator.random(accepts.shape) < accepts).astype(float)


def test_one_step_by_hand() -> None:
    confusion = np.array([[[0.8, 0.2], [0.1, 0.9]], [[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.4, 0.6]]])
    ballots = np.array([[[0.0, 1.0]], [[0.0, 1.0]], [[1.0, 0.0]]])
    [[_, right]] = posteriors(np.array([0.5, 0.5]), confusion, ballots)
    assert right == pytest.approx(0.954545, abs=1e-6)


def test_a_missing_vote_is_skipped() -> None:
    confusion = np.array([[[0.8, 0.2], [0.1, 0.9]], [[0.9, 0.1], [0.3, 0.7]]])
    ballots = np.array([[[0.0, 1.0]], [[0.0, 0.0]]])
    [[_, right]] = posteriors(np.array([0.5, 0.5]), confusion, ballots)
    assert right == pytest.approx(0.9 / 1.1)


def test_planted_error_rates_are_found() -> None:
    sensitivity, specificity = [0.95, 0.8, 0.7, 0.9], [0.9, 0.95, 0.8, 0.7]
    truth, votes = drawn(sensitivity, specificity)
    votes[np.random.default_rng(1).random(votes.shape) < 0.2] = np.nan
    found = dawid_skene(votes, iterations=500, tolerance=1e-9)
    for voter, (se, sp) in enumerate(zip(sensitivity, specificity, strict=True)):
        assert found.false_negative_rate(voter) == pytest.approx(1 - se, abs=0.035)
        assert found.false_positive_rate(voter) == pytest.approx(1 - sp, abs=0.035)
    assert found.prior[1] == pytest.approx(0.4, abs=0.03)
    assert found.converged
    assert not found.warnings
    best = np.nanmean(votes[:, 0] == truth)
    assert np.mean((found.posterior[:, 1] > 0.5) == truth) > best


def test_posteriors_and_matrices_are_distributions() -> None:
    votes = np.random.default_rng(2).integers(0, 3, size=(200, 4)).astype(float)
    found = dawid_skene(votes, classes=3)
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    np.testing.assert_allclose(found.confusion.sum(axis=2), 1)
    assert found.prior.sum() == pytest.approx(1)


def test_order_of_items_does_not_matter() -> None:
    _, votes = drawn([0.9, 0.8, 0.7], [0.8, 0.9, 0.9])
    order = np.random.default_rng(3).permutation(ITEMS)
    np.testing.assert_allclose(dawid_skene(votes).posterior[order], dawid_skene(votes[order]).posterior, atol=1e-9)


def test_evidence_never_falls() -> None:
    _, votes = drawn([0.9, 0.8, 0.7, 0.6], [0.8, 0.9, 0.9, 0.7])
    bounds = [dawid_skene(votes, smoothing=0, iterations=count, tolerance=-1).evidence for count in range(1, 30)]
    assert (np.diff(bounds) > -1e-12).all()


def test_exchanged_classes_are_put_right() -> None:
    # the starting votes of mostly contrary voters name the classes the wrong way round
    _, votes = drawn([0.3, 0.35, 0.3, 0.9], [0.3, 0.35, 0.3, 0.9])
    found = dawid_skene(votes, iterations=300)
    assert np.trace(found.confusion.mean(axis=0)) >= 1


def test_strict_verifiers_are_not_taken_for_exchanged_classes() -> None:
    truth, votes = drawn([0.45, 0.4, 0.35, 0.4], [0.99, 0.98, 0.99, 0.99])
    found = dawid_skene(votes, iterations=2000, tolerance=1e-10)
    assert not found.flipped
    assert found.false_negative_rate(0) == pytest.approx(0.55, abs=0.06)
    assert found.posterior[truth == 1, 1].mean() > 0.7


FIVE = [0.9, 0.85, 0.8, 0.85, 0.9]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_voters_who_share_errors_are_noticed(share: float) -> None:
    _, votes = drawn(FIVE, FIVE)
    copied = np.random.default_rng(4).random(ITEMS) < share
    votes[copied, 1] = votes[copied, 0]
    assert any("share errors" in warning for warning in dawid_skene(votes).warnings)


def test_the_pair_is_named_while_the_consensus_is_not_theirs() -> None:
    _, votes = drawn(FIVE, FIVE)
    copied = np.random.default_rng(4).random(ITEMS) < 0.3
    votes[copied, 1] = votes[copied, 0]
    assert any("0 and 1 agree more" in warning for warning in dawid_skene(votes).warnings)


def test_independent_voters_raise_no_warning() -> None:
    for seed in range(20):
        assert not dawid_skene(drawn(FIVE, FIVE, seed=seed)[1], tolerance=1e-7).warnings


def test_three_voters_come_with_a_warning() -> None:
    _, votes = drawn([0.9, 0.8, 0.7], [0.8, 0.9, 0.9])
    assert any("cannot be seen" in warning for warning in dawid_skene(votes).warnings)


def test_a_voter_who_says_nothing_is_named() -> None:
    _, votes = drawn([0.9, 0.8, 0.9, 0.8], [0.8, 0.9, 0.9, 0.9])
    votes[:, 3] = 1.0
    found = dawid_skene(votes)
    assert any("voters [3] say nothing" in warning for warning in found.warnings)


def test_an_item_without_votes_gets_the_prior_and_moves_nothing() -> None:
    _, votes = drawn([0.9, 0.8, 0.7], [0.8, 0.9, 0.9])
    plain = dawid_skene(votes)
    padded = dawid_skene(np.vstack([votes, np.full((50, 3), np.nan)]))
    np.testing.assert_allclose(padded.posterior[-1], plain.prior)
    np.testing.assert_allclose(padded.confusion, plain.confusion)


@pytest.mark.parametrize(
    ("votes", "arguments", "message"),
    [
        ([[1, 0], [1, 1]], {}, "2 voters cannot be told apart"),
        ([[1, 0, None], [1, 1, math.nan]], {}, r"voters \[2\] never voted"),
        ([], {}, "items x voters"),
        ([[1, 0, 2]], {}, "whole numbers from 0 to 1"),
        ([[1, 0, 0.5]], {}, "whole numbers"),
        ([[1, 0, -1]], {}, "whole numbers"),
        ([[1, 0, 1]], {"classes": 1}, "classes"),
        ([[1, 0, 1]], {"smoothing": -1}, "smoothing"),
        ([[1, 0, 1]], {"iterations": 0}, "iterations"),
    ],
)
def test_votes_that_say_nothing_are_refused(votes: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dawid_skene(votes, **arguments)


def test_unanimous_voters_are_believed() -> None:
    found = dawid_skene([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert found.posterior[:, 1] == pytest.approx([1, 0, 1], abs=0.01)
