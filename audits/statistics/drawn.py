"""Error rates, metrics and the share of right responses from responses that were drawn for labelling.

Two things are not known, and an interval has both. **Which wrong responses were not drawn**: in each stratum of a
:class:`Frame` the ends of the share of wrong ones (``ends``), combined over strata by MOVER. A stratum in which no
error was drawn has an upper end as every other one has; a variance of the weighted rate is 0 there. **Which responses
the run happened to have**: the rate speaks of the verifier at large, so the run's own spread is added, by group, since
answers to one prompt share their errors.

``python -m benchmarks.coverage`` simulates how often the intervals hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from audits.statistics.arrays import Bools, Floats
from audits.statistics.error_correlation import estimate_error_correlation
from audits.statistics.frame import Frame, Strata, strata
from audits.statistics.interval_ends import Estimated, RateEnds, ends, lasting_ends, share_of, total, widen
from audits.statistics.proportion import EVERYTHING, LEVEL, Interval, quantile

_CORRELATED = 2.0


class DrawnRate(NamedTuple):
    """``rate`` of ``members``, an estimated number of records, of whose units ``drawn`` were labelled. ``rate`` is None
    without any. ``groups`` are those with a labelled member."""

    rate: float | None
    interval: Interval
    members: float
    drawn: int
    groups: int


class DrawnRates:
    """All rates of the records of a frame, each when it is asked for.

    ``lasting``: the intervals hold however often one looks while labels come in. ``at_large``: they are of the verifier
    at large; without it they are of these very records, and narrower. ``accuracy``, ``precision``,
    ``recall`` and ``f1`` are of the records with a verdict; ``right`` is the share of right ones among them.
    """

    def __init__(self, frame: Frame, *, level: float = LEVEL, lasting: bool = False, at_large: bool = True) -> None:
        self._level, self._whole_verifier = level, at_large
        # the run is the same at every look, only what is known of its spread moves: half of the errors will do
        self._at_once = (1 + level) / 2 if lasting else level
        self._strata = strata(frame)
        self._wrong = self._ends(self._strata, level, lasting)
        self._unit, self._weight = frame.of(frame.labelled), self._strata.weight
        self._groups, self._place = np.unique(self._unit.group, return_inverse=True)
        self._judged, self._accepted = ~np.isnan(self._unit.accepted), self._unit.accepted == 1
        self._right = self._unit.right > 0.5
        self._alike = _alike(frame)
        self._answers = float(frame.records[~np.isnan(frame.accepted)].sum())
        self._everything = float(frame.records.sum())

    def false_positive(self) -> DrawnRate:
        sampled = share_of(self._records(1, right=False), self._records(0, right=False))
        return self._rate(sampled, self._accepted & ~self._right, self._judged & ~self._right)

    def false_negative(self) -> DrawnRate:
        sampled = share_of(self._records(0, right=True), self._records(1, right=True))
        return self._rate(sampled, self._judged & ~self._accepted & self._right, self._judged & self._right)

    def accuracy(self) -> DrawnRate:
        sampled = _part([self._records(1, right=True), self._records(0, right=False)], self._answers)
        return self._rate(sampled, self._judged & (self._accepted == self._right), self._judged)

    def precision(self) -> DrawnRate:
        hit = self._records(1, right=True)
        return self._rate(_part([hit], self._size(1)), self._accepted & self._right, self._accepted)

    def recall(self) -> DrawnRate:
        missed = self.false_negative()
        rate = None if missed.rate is None else 1 - missed.rate
        return missed._replace(rate=rate, interval=Interval(1 - missed.interval.high, 1 - missed.interval.low))

    def f1(self) -> DrawnRate:
        """The number of accepted ones is known, so it is 2 TP / (accepted + TP + FN)."""
        hit, miss, size = self._records(1, right=True), self._records(0, right=True), self._size(1)
        half = share_of(hit, Estimated(*(size + end for end in miss)))
        whole = Estimated(*(min(2 * end, 1.0) for end in half))
        both = self._accepted & self._right
        counts = 2.0 * both + (self._judged & (self._accepted != self._right))
        return self._rate(whole, both, counts > 0, counts)

    def coverage(self) -> DrawnRate:
        share = self._answers / self._everything if self._everything else 0.0
        return self._rate(Estimated(share, share, share), self._judged, np.ones_like(self._judged))

    def right(self) -> DrawnRate:
        found = _part([self._records(verdict, right=True) for verdict in (1, 0)], self._answers)
        return self._rate(found, self._right & self._judged, self._judged)

    def _ends(self, found: Strata, level: float, lasting: bool) -> RateEnds:
        """Of the share of wrong records in each stratum; of one that is labelled as a whole nothing is to estimate."""
        sure = np.isinf(found.trials)
        trials = np.where(sure, 1.0, found.trials)
        some = (lasting_ends if lasting else ends)(found.wrong * trials, trials, level)
        return RateEnds(np.where(sure, found.wrong, some.low), np.where(sure, found.wrong, some.high))

    def _here(self, verdict: int | None) -> Bools:
        said = self._strata.accepted
        here: Bools = np.isnan(said) if verdict is None else said == verdict
        return here

    def _size(self, verdict: int) -> float:
        return float(self._strata.records[self._here(verdict)].sum())

    def _records(self, verdict: int | None, *, right: bool) -> Estimated:
        """How many records have this verdict (None: none) and truth."""
        here = self._here(verdict)
        size = self._strata.records[here]
        rate, low, high = self._strata.wrong[here], self._wrong.low[here], self._wrong.high[here]
        if right:
            rate, low, high = 1 - rate, 1 - high, 1 - low
        further = 0.0 if verdict is None else self._strata.unsized[verdict] * quantile(self._level) ** 2
        found = total(size * rate, size * low, size * high, self._strata.trials[here] == 0, further)
        return Estimated(found.value, max(found.low, 0.0), min(found.high, float(size.sum())))

    def _rate(self, sampled: Estimated, errors: Bools, members: Bools, counts: Floats | None = None) -> DrawnRate:
        """With the run's own spread, unless it is of these records. ``counts``: how often each member counts, as hits
        count twice in F1."""
        each = members.astype(np.float64) if counts is None else counts
        whole = float(np.sum(self._weight * self._unit.records * each))
        if whole <= 0:
            return DrawnRate(None, EVERYTHING, 0.0, 0, 0)
        found = sampled
        if self._whole_verifier:
            found = widen(sampled, self._at_large(sampled.value, np.where(errors, each, 0.0), each, whole))
        groups = int(np.count_nonzero(np.bincount(self._place, weights=members)))
        return DrawnRate(found.value, found.interval, whole, int(np.count_nonzero(members)), groups)

    def _at_large(self, rate: float, hits: Floats, counts: Floats, whole: float) -> Estimated:
        """The rate with the ends that it would have if every response of the run were labelled."""
        worth = np.array([whole / self._design_effect(hits, counts, whole)])
        found = ends(rate * worth, worth, self._at_once)
        return Estimated(rate, float(found.low[0]), float(found.high[0]))

    def _design_effect(self, hits: Floats, counts: Floats, whole: float) -> float:
        """Kish's: the records of a content share one fate, those of a group do as far as errors were seen to.

        Sizes are taken as they are. The variance of residuals would be too small where one content or group is much of
        the run: as a rule it has no error, and its residual is then nearly nothing.
        """
        alone = max(float(np.sum(self._weight * self._unit.records**2 * counts**2)) / whole, 1.0)
        together = max(self._all_alike(counts, whole), alone)
        groups = estimate_error_correlation(hits, counts, self._weight, self._place)
        if not groups.informative:
            return together
        beyond = together - alone
        expected = (alone + groups.correlation * beyond) * (1 + _CORRELATED / math.sqrt(groups.informative))
        return min(max(expected, alone + groups.high * beyond), together)

    def _all_alike(self, counts: Floats, whole: float) -> float:
        """The design effect if all members of a group shared one fate (Kish), as far as pairs of labelled ones tell."""
        stands = self._weight * self._unit.records * counts
        sums = np.bincount(self._place, weights=stands)
        members = np.bincount(self._place, weights=counts > 0)
        pairs = float(np.sum(members * (members - 1)) / 2)
        if not pairs:
            return self._alike
        square = float(np.sum(stands * self._unit.records * counts) + np.sum(sums**2) - np.sum(stands**2))
        return min(max(square / whole, 1.0) * (1 + _CORRELATED / math.sqrt(pairs)), self._alike)


def _alike(frame: Frame) -> float:
    """The design effect if all records of a group shared one fate (Kish)."""
    if not len(frame.group):
        return 1.0
    _, place = np.unique(frame.group, return_inverse=True)
    sizes = np.bincount(place, weights=frame.records)
    return max(float(np.sum(sizes**2) / sizes.sum()), 1.0)


def _part(parts: Sequence[Estimated], whole: float) -> Estimated:
    """Independent parts over a whole that is known."""
    values, lows, highs = (np.array(column) for column in zip(*parts, strict=True))
    return Estimated(*(min(max(end / (whole or 1.0), 0.0), 1.0) for end in total(values, lows, highs)))
