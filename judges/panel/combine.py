"""Votes into one. Pure; whoever is missing has no vote, and ``None`` says that too many are missing.

A mean over fewer judges is another measure, so ``mean`` and ``median`` need a quorum. The others are decided where the
missing could not change them, whatever these had said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judges.panel.members import Combine


@dataclass(frozen=True, slots=True)
class Vote:
    """``score`` lies in [0, 1] where scores are combined."""

    score: float
    weight: float
    yes: bool


def combine_votes(votes: Sequence[Vote], missing: float, how: Combine, quorum: float) -> float | None:
    """``missing`` is the weight of those that could not be asked. Verdicts are 1.0 and 0.0."""
    match how:
        case "mean":
            return mean(votes, missing, quorum)
        case "median":
            return _median(votes) if _enough(votes, missing, quorum) else None
        case "min":
            least = min((vote.score for vote in votes), default=None)
            return least if not missing or least == 0 else None
        case "majority":
            return _majority(votes, missing)
        case "unanimous":
            return _unanimous(votes, missing)


def mean(votes: Sequence[Vote], missing: float, quorum: float) -> float | None:
    if not _enough(votes, missing, quorum):
        return None
    return sum(vote.weight * vote.score for vote in votes) / _weight(votes)


def agreement(votes: Sequence[Vote]) -> float:
    """The share, by weight, of the larger side."""
    share = yes_share(votes)
    return max(share, 1 - share)


def yes_share(votes: Sequence[Vote]) -> float:
    """The share, by weight, that says yes."""
    return _weight([vote for vote in votes if vote.yes]) / _weight(votes)


def _majority(votes: Sequence[Vote], missing: float) -> float | None:
    yes = _weight([vote for vote in votes if vote.yes])
    no = _weight(votes) - yes
    if yes > no + missing:
        return 1.0
    return 0.0 if yes + missing <= no else None


def _unanimous(votes: Sequence[Vote], missing: float) -> float | None:
    if not all(vote.yes for vote in votes):
        return 0.0
    return None if missing else 1.0


def _median(votes: Sequence[Vote]) -> float:
    """The middle of the weight; where it falls between two scores, their mean."""
    half = _weight(votes) / 2
    passed = 0.0
    lower: float | None = None
    ordered = sorted(votes, key=lambda vote: vote.score)
    for vote in ordered:
        passed += vote.weight
        if lower is None and passed >= half:
            lower = vote.score
        if lower is not None and passed > half:
            return (lower + vote.score) / 2
    return ordered[-1].score


def _enough(votes: Sequence[Vote], missing: float, quorum: float) -> bool:
    answered = _weight(votes)
    return answered > 0 and answered >= quorum * (answered + missing) * (1 - 1e-12)


def _weight(votes: Sequence[Vote]) -> float:
    return sum(vote.weight for vote in votes)
