"""One of several candidates for a prompt: the best score, the majority, or a weighted vote.

Positions in, one position out; ties go to the earlier candidate. Scores that are missing, and candidates without an
answer, are never chosen; None where nothing is left to choose.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable

from rewards.vote import Classes, majority
from trueward.estimators.scores import Scores


def best_of(scores: Scores) -> int | None:
    """The position of the highest score."""
    there = [(score, -position) for position, score in enumerate(scores) if score is not None]
    return -max(there)[1] if there else None


def by_majority(classes: Classes, scores: Scores | None = None) -> int | None:
    """Of the most frequent answer's candidates the one with the highest score, else the first."""
    voted = majority(classes)
    return None if voted is None else _of_class(voted.winner, classes, scores)


def by_weighted_vote(classes: Classes, scores: Scores) -> int | None:
    """``argmax over answers of the sum of its candidates' scores``; scores must not be negative.

    Raises ValueError for a negative score, which would make an answer worse for having a second witness.
    """
    if any(score is not None and score < 0 for score in scores):
        raise ValueError("a weighted vote needs scores of at least 0: map them, for instance with a sigmoid")
    votes: defaultdict[Hashable, list[float]] = defaultdict(list)
    for one, score in zip(classes, scores, strict=True):
        if one is not None and score is not None:
            votes[one].append(score)
    if not votes:
        return None
    totals = {one: math.fsum(weights) for one, weights in votes.items()}
    winner = max(totals, key=lambda one: totals[one])
    return _of_class(winner, classes, scores)


def _of_class(winner: Hashable, classes: Classes, scores: Scores | None) -> int:
    members = [position for position, one in enumerate(classes) if one == winner and one is not None]
    known = [None] * len(classes) if scores is None else list(scores)
    best = best_of([known[position] for position in members])
    return members[best or 0]
