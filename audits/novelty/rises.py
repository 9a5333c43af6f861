"""What became more frequent: counted over the responses of either side, and held against chance.

A rise is told where the share rose by two points at least, and the log-likelihood ratio of the two shares (Dunning
1993) is above its limit, which a difference without a cause passes in about one of 30,000. Responses to one prompt are
alike, so each group counts as much as one response there: words that belong to a prompt are no rise. It orders what
somebody should look at, and is no test of the run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from audits.novelty.response_features import ResponseFeatures
from trueward.wire.change import Rise

LIMIT = 17.0
LEAST_RISE = 0.02
LEAST_RECORDS = 3
SHOWN = 12


class Sides(NamedTuple):
    """The responses that are compared, and how many groups these are of."""

    before: Sequence[ResponseFeatures]
    after: Sequence[ResponseFeatures]
    groups_before: int
    groups_after: int

    @classmethod
    def of(cls, before: Sequence[ResponseFeatures], after: Sequence[ResponseFeatures]) -> Sides:
        return cls(before, after, *(len({one.group for one in side}) for side in (before, after)))

    @property
    def frequent(self) -> float:
        """What fewer responses of ``after`` have cannot have risen."""
        return max(LEAST_RISE * len(self.after), LEAST_RECORDS)

    def has_risen(self, was: int, count: int) -> bool:
        """Whether what ``was`` responses had before and ``count`` have after rose by more than chance explains."""
        of_before, of_after = len(self.before), len(self.after)
        if not of_before or count < LEAST_RECORDS or count / of_after - was / of_before < LEAST_RISE:
            return False
        earlier, later = was * self.groups_before / of_before, count * self.groups_after / of_after
        return surprise(earlier, self.groups_before, later, self.groups_after) >= LIMIT


class FeatureCount(NamedTuple):
    """Responses of either side that have something, and the place of the first of ``after``."""

    what: str
    before: int
    after: int
    first: int


def rises(sides: Sides, features: Callable[[ResponseFeatures], Iterable[str]]) -> list[Rise]:
    """Of the features of the responses those that rose, by how much."""
    having = [frozenset(features(one)) for one in sides.after]
    later = Counter(chain.from_iterable(having))
    frequent = {what for what, count in later.items() if count >= sides.frequent}
    earlier = Counter(chain.from_iterable(frequent.intersection(features(one)) for one in sides.before))
    first = {what: place for place, its in reversed([*enumerate(having)]) for what in frequent & its}
    return risen(sides, (FeatureCount(what, earlier[what], later[what], first[what]) for what in frequent))


def risen(sides: Sides, counted: Iterable[FeatureCount]) -> list[Rise]:
    """Those that rose, what rose most first."""
    found = []
    for one in counted:
        if sides.has_risen(one.before, one.after):
            said = sides.after[one.first]
            shares = {"before": one.before / len(sides.before), "after": one.after / len(sides.after)}
            first = {"record": said.record, "step": said.step, "ending": said.ending}
            found.append(Rise(what=one.what, records=one.after, **first, **shares))
    return sorted(found, key=lambda rise: (rise.before - rise.after, rise.what))


def surprise(before: float, of_before: float, after: float, of_after: float) -> float:
    """Twice the log-likelihood ratio of two shares against one for both."""
    pooled = (before + after) / (of_before + of_after)
    sides = ((before, of_before), (after, of_after))
    return 2 * sum(_likelihood(count, of, count / of) - _likelihood(count, of, pooled) for count, of in sides)


def _likelihood(count: float, of: float, share: float) -> float:
    yes = count * math.log(share) if count else 0.0
    no = (of - count) * math.log(1 - share) if of > count else 0.0
    return yes + no
