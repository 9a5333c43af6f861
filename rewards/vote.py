"""The vote of several responses for one answer.

Answers come as classes: equal numbers for answers that a verifier found equivalent, None for a response without an
answer, which does not vote. Not here: paying for votes, which is for the verifiers ``majority`` and ``agreement``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

Classes = Sequence[Hashable | None]


class Majority(NamedTuple):
    """The winning class, its share of the votes in [0, 1], and whether another had as many votes."""

    winner: Hashable
    share: float
    tied: bool


def majority(classes: Classes) -> Majority | None:
    """The most frequent class, among equals the first to occur; None where nobody answered."""
    counts = Counter(one for one in classes if one is not None)
    if not counts:
        return None
    (winner, votes), *others = counts.most_common()
    return Majority(winner, votes / counts.total(), bool(others) and others[0][1] == votes)
