"""What became more frequent: counted over the responses of either side, and held against chance.

A rise is told where the share rose by two points at least, and the log-likelihood ratio of the two shares (Dunning
1993) is above its limit, which a difference without a cause passes in about one of 30,000. Responses to one prompt are
alike, so each group counts as much as one response there: words that belong to a prompt are no rise. It orders what
somebody should look at, and is no test of the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from audits.novelty.said import Said
from trueward.changes import Rise

LIMIT = 17.0
LEAST_RISE = 0.02
LEAST_RECORDS = 3
SHOWN = 12


def rises(before: Sequence[Said], after: Sequence[Said], features: Callable[[Said], Iterable[str]]) -> list[Rise]:
    """Of the features of the responses those that rose, by how much."""
    earlier, _ = _counted(before, features)
    later, first = _counted(after, features)
    found = []
    for what, count in later.items():
        one = after[first[what]]
        was = earlier.get(what, 0)
        if count >= LEAST_RECORDS and risen(before, was, after, count):
            shares = {"before": was / max(len(before), 1), "after": count / len(after)}
            found.append(Rise(what=what, records=count, record=one.record, step=one.step, **shares))
    return sorted(found, key=lambda rise: (rise.before - rise.after, rise.what))


def risen(before: Sequence[Said], was: int, after: Sequence[Said], count: int) -> bool:
    """Whether what ``was`` responses had before and ``count`` have after rose by more than chance explains."""
    if not before or not after or count / len(after) - was / len(before) < LEAST_RISE:
        return False
    ours, theirs = (len({one.group for one in side}) for side in (before, after))
    return surprise(was * ours / len(before), ours, count * theirs / len(after), theirs) >= LIMIT


def surprise(before: float, of_before: float, after: float, of_after: float) -> float:
    """Twice the log-likelihood ratio of two shares against one for both."""
    pooled = (before + after) / (of_before + of_after)
    sides = ((before, of_before), (after, of_after))
    return 2 * sum(_likelihood(count, of, count / of) - _likelihood(count, of, pooled) for count, of in sides)


def _likelihood(count: float, of: float, share: float) -> float:
    yes = count * math.log(share) if count else 0.0
    no = (of - count) * math.log(1 - share) if of > count else 0.0
    return yes + no


def _counted(
    said: Sequence[Said], features: Callable[[Said], Iterable[str]]
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """How many responses have each feature, and the place of the first that does."""
    counts: dict[str, int] = {}
    first: dict[str, int] = {}
    for place, one in enumerate(said):
        for what in set(features(one)):
            counts[what] = counts.get(what, 0) + 1
            first.setdefault(what, place)
    return counts, first
