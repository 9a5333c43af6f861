"""Consensus without gold: what is true, and how often each of three or more verifiers errs (Dawid and Skene 1979).

Each item has a hidden true class, each voter a confusion matrix, and voters err independently given the truth; both are
fitted by expectation-maximisation in log space, starting from the shares of the votes. Items with the same votes are
one. Missing votes are skipped.

Where the model fails: two judges of one family share their errors, and then the consensus is theirs. ``shared_errors``
holds, for each pair, how much more they agree than the fit explains, as a correlation given the truth. It tells that
errors are shared, not surely by whom. With three voters of two classes the fit explains any votes at all, so nothing
can be seen: ``warnings`` says that.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from audits.statistics.arrays import Floats, Ints, Ratings

LEAST_VOTERS = 3
SUSPICIOUS_CORRELATION = 0.1
SUSPICIOUS_ERRORS = 4.0
_LEAST = 1e-10


class Consensus(NamedTuple):
    """The fit: N items, V voters, K classes.

    ``posterior`` N x K, ``prior`` K, ``confusion`` V x K x K with ``confusion[v][k][l]`` = P(v votes l | true k).
    ``evidence`` is the evidence lower bound per vote. ``shared_errors`` maps pairs of voters to residual correlations,
    ``suspicious`` those pairs that independent errors do not explain.
    """

    posterior: Floats
    prior: Floats
    confusion: Floats
    iterations: int
    converged: bool
    evidence: float
    flipped: bool
    shared_errors: dict[tuple[int, int], float]
    suspicious: dict[tuple[int, int], float]
    warnings: tuple[str, ...]

    def false_positive_rate(self, voter: int) -> float:
        """P(accepts | wrong), where class 1 is right and a vote for it accepts."""
        return float(self.confusion[voter, 0, 1])

    def false_negative_rate(self, voter: int) -> float:
        """P(rejects | right)."""
        return float(self.confusion[voter, 1, 0])


def dawid_skene(
    votes: Ratings,
    *,
    counts: Sequence[float] | Floats | None = None,
    classes: int = 2,
    smoothing: float = 0.01,
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Consensus:
    """Fits N x V votes in 0 to ``classes - 1``, None or NaN where missing; ``counts`` says how many items each row is.

    ``smoothing`` is added to each count of a confusion matrix; ``tolerance`` is the least gain of the evidence bound
    per vote that goes on. Raises ValueError with fewer than three voters (use the majority), or with a voter that
    never voted. An item without a vote gets the prior.
    """
    cast = _votes(votes, classes)
    if cast.shape[1] < LEAST_VOTERS:
        raise ValueError(
            f"{cast.shape[1]} voters cannot be told apart without labels: give {LEAST_VOTERS}, or use the majority"
        )
    silent = np.flatnonzero((cast < 0).all(axis=0))
    if len(silent):
        raise ValueError(f"voters {silent.tolist()} never voted: leave them out")
    if smoothing < 0 or iterations < 1:
        raise ValueError("smoothing must be at least 0 and iterations at least 1")
    patterns, place = np.unique(cast, axis=0, return_inverse=True)
    weights = np.ones(len(cast)) if counts is None else np.asarray(counts, dtype=np.float64)
    if weights.shape != (len(cast),) or not (weights > 0).all():
        raise ValueError(f"counts must be {len(cast)} positive numbers, one for each row of votes")
    sizes: Floats = np.bincount(place.reshape(-1), weights).astype(np.float64) * (patterns >= 0).any(axis=1)
    # V x P x K: which vote each voter cast on each pattern
    ballots = np.stack([patterns == label for label in range(classes)], axis=2).transpose(1, 0, 2).astype(np.float64)
    total = float((sizes * (patterns >= 0).sum(axis=1)).sum())
    posterior = ballots.sum(axis=0)
    posterior /= np.maximum(posterior.sum(axis=1, keepdims=True), 1)
    prior, confusion = _maximised(posterior, ballots, sizes, smoothing)
    evidence, done, converged = -np.inf, 0, False
    while done < iterations and not converged:
        done += 1
        posterior = posteriors(prior, confusion, ballots)
        prior, confusion = _maximised(posterior, ballots, sizes, smoothing)
        bound = _evidence(posterior, prior, confusion, ballots, sizes) / total
        converged = bound - evidence < tolerance
        evidence = bound
    order = _order(confusion)
    flipped = not np.array_equal(order, np.arange(classes))
    posterior, prior, confusion = posterior[:, order], prior[order], confusion[:, order]
    shared, errors = _shared_errors(patterns, sizes, prior, confusion)
    posterior[sizes == 0] = prior
    suspicious = {
        pair: value
        for pair, value in shared.items()
        if value > SUSPICIOUS_CORRELATION and value > SUSPICIOUS_ERRORS * errors[pair]
    }
    warnings = _warnings(suspicious, confusion, converged, flipped)
    found = posterior[place.reshape(-1)]
    return Consensus(found, prior, confusion, done, converged, float(evidence), flipped, shared, suspicious, warnings)


def posteriors(prior: Floats, confusion: Floats, ballots: Floats) -> Floats:
    """One E-step: ``q(k)`` in proportion to ``prior[k]`` times ``confusion[v][k][vote]`` over the voters that voted.

    ``ballots`` is V x P x K, all zero where a voter did not vote. Shape P x K out, rows sum to 1.
    """
    logs = np.log(np.maximum(prior, _LEAST)) + np.einsum("vpl,vkl->pk", ballots, np.log(np.maximum(confusion, _LEAST)))
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    normal: Floats = shares / shares.sum(axis=1, keepdims=True)
    return normal


def _maximised(posterior: Floats, ballots: Floats, counts: Floats, smoothing: float) -> tuple[Floats, Floats]:
    weighted = posterior * counts[:, None]
    table = np.einsum("pk,vpl->vkl", weighted, ballots) + smoothing
    # a class that a voter never met says nothing of it: every vote is as likely
    rows = table.sum(axis=2, keepdims=True)
    confusion = np.where(rows > 0, table / np.where(rows > 0, rows, 1), 1 / table.shape[2])
    return weighted.sum(axis=0) / counts.sum(), confusion


def _evidence(posterior: Floats, prior: Floats, confusion: Floats, ballots: Floats, counts: Floats) -> float:
    logs = np.log(np.maximum(prior, _LEAST)) + np.einsum("vpl,vkl->pk", ballots, np.log(np.maximum(confusion, _LEAST)))
    entropy = -posterior * np.log(np.maximum(posterior, _LEAST))
    return float(np.sum(counts[:, None] * (posterior * logs + entropy)))


def _order(confusion: Floats) -> Ints:
    """Classes named so that the voters are right more often than by any other naming of two classes.

    The likelihood is the same with all names exchanged; what tells them apart is that voters mostly mean what they say.
    """
    classes = confusion.shape[1]
    mean = confusion.mean(axis=0)
    if classes == 2 and np.trace(mean) < 1:
        return np.array([1, 0])
    return np.arange(classes)


def _shared_errors(
    patterns: Ints, counts: Floats, prior: Floats, confusion: Floats
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """Residual correlation of each pair that voted together, and its standard error where there is none."""
    shared, errors = {}, {}
    within = 1 - np.einsum("k,vkl->v", prior, confusion**2)
    for one, other in combinations(range(len(confusion)), 2):
        together = counts * ((patterns[:, one] >= 0) & (patterns[:, other] >= 0))
        size, spread = float(together.sum()), float(np.sqrt(within[one] * within[other]))
        if size == 0 or spread <= _LEAST:
            continue
        agreed = float((together * (patterns[:, one] == patterns[:, other])).sum()) / size
        expected = float(np.einsum("k,kl,kl->", prior, confusion[one], confusion[other]))
        shared[one, other] = (agreed - expected) / spread
        errors[one, other] = float(np.sqrt(max(expected * (1 - expected), 0.0) / size)) / spread
    return shared, errors


def _warnings(
    suspicious: dict[tuple[int, int], float],
    confusion: Floats,
    converged: bool,
    flipped: bool,
) -> tuple[str, ...]:
    found = []
    if confusion.shape[:2] == (LEAST_VOTERS, 2):
        found.append(
            "with three voters errors that two of them share cannot be seen: use four, or voters of different kinds"
        )
    if suspicious:
        (one, other), value = max(suspicious.items(), key=lambda entry: entry[1])
        found.append(
            f"some voters share errors: {one} and {other} agree more than independent errors explain (correlation "
            f"{value:.2f}); where the consensus has gone over to those who share, it is the others that seem to agree"
        )
    weak = np.flatnonzero(np.trace(confusion, axis1=1, axis2=2) <= 1)
    if len(weak):
        found.append(f"voters {weak.tolist()} say nothing of the truth, or the opposite")
    if flipped:
        found.append("the classes came out exchanged and were put right: the voters hardly agree")
    if not converged:
        found.append("not converged: raise iterations")
    return tuple(found)


def _votes(votes: Ratings, classes: int) -> Ints:
    if classes < 2:
        raise ValueError(f"classes must be at least 2, got {classes}")
    array = np.asarray(votes, dtype=np.float64)
    if array.ndim != 2 or not len(array):
        raise ValueError(f"votes must be items x voters, at least one item, got shape {array.shape}")
    missing = np.isnan(array)
    cast = np.where(missing, -1, array).astype(np.int64)
    if ((cast != array) & ~missing).any() or cast.max() >= classes or (cast < 0)[~missing].any():
        raise ValueError(f"votes must be whole numbers from 0 to {classes - 1}, or None")
    return cast
