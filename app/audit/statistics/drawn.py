"""Error rates, metrics and the share of right responses from responses that were drawn for labelling.

Two things are not known, and an interval has both. **Which wrong responses were not drawn**: in each stratum of a
:class:`Frame` the ends of the share of wrong ones (``ends``), combined over strata by MOVER. A stratum in which no error
was drawn has an upper end as every other one, which a variance has not: there lay 60% of false accepts in audits whose
intervals of linearised variance then covered 40 to 76% instead of 95. **Which responses the run happened to have**: the
rate speaks of the verifier at large, so the run's own spread is added, by group, since answers to one prompt share their
errors.

``python -m benchmarks.coverage`` simulates how often the intervals hold the truth.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from app.audit.statistics.arrays import Bools, Floats
from app.audit.statistics.ends import Ends, Estimated, ends, lasting_ends, share_of, total, widened
from app.audit.statistics.frame import Frame, Strata, strata
from app.audit.statistics.proportion import EVERYTHING, LEVEL, Interval, quantile

_CORRELATED = 2.0


class DrawnRate(NamedTuple):
    """``rate`` of ``members``, an estimated number of records, of whose units ``drawn`` were labelled. ``rate`` is None
    without any. ``groups`` are those with a labelled member."""

    rate: float | None
    interval: Interval
    members: float
    drawn: int
    groups: int


class DrawnRates(NamedTuple):
    false_positive: DrawnRate
    false_negative: DrawnRate
    accuracy: DrawnRate
    precision: DrawnRate
    recall: DrawnRate
    f1: DrawnRate
    coverage: DrawnRate
    right: DrawnRate


def drawn_rates(frame: Frame, *, level: float = LEVEL, lasting: bool = False) -> DrawnRates:
    """All rates of the records of a frame. ``lasting``: the intervals hold however often one looks while labels come.

    ``accuracy``, ``precision``, ``recall`` and ``f1`` are of the records with a verdict, ``right`` is the share of right
    ones among all.
    """
    return _Rates(frame, level, lasting).all()


class _Rates:
    def __init__(self, frame: Frame, level: float, lasting: bool) -> None:
        self._frame, self._level = frame, level
        self._strata = strata(frame)
        of = lasting_ends if lasting else ends
        found = self._strata
        wrong = of(found.wrong * found.trials, found.trials, level)
        # where every unit of a stratum is labelled nothing is left to estimate
        sure = found.trials >= 1e9
        self._wrong = Ends(np.where(sure, found.wrong, wrong.low), np.where(sure, found.wrong, wrong.high))
        some = frame.labelled
        self._labelled = frame.of(some)
        self._weight = found.weight
        self._alike = _alike(frame)

    def all(self) -> DrawnRates:
        unit = self._labelled
        judged, accepted, right = ~np.isnan(unit.accepted), unit.accepted == 1, unit.right == 1
        hit, false = self._records(1, right=True), self._records(1, right=False)
        miss, clear = self._records(0, right=True), self._records(0, right=False)
        one = np.ones(len(right))
        answers = float(self._frame.records[~np.isnan(self._frame.accepted)].sum())
        everything = float(self._frame.records.sum())
        accepted_records = hit.value + false.value
        nothing = self._records(2, right=True)
        false_positive = self._rate(share_of(false, clear), accepted & ~right, judged & ~right)
        false_negative = self._rate(share_of(miss, hit), judged & ~accepted & right, judged & right)
        recall = false_negative._replace(
            rate=None if false_negative.rate is None else 1 - false_negative.rate,
            interval=Interval(1 - false_negative.interval.high, 1 - false_negative.interval.low),
        )
        # of the accepted ones the number is known, so F1 is 2 TP / (accepted + TP + FN)
        missing = Estimated(accepted_records + miss.value, accepted_records + miss.low, accepted_records + miss.high)
        half = share_of(hit, missing)
        f1 = Estimated(*(min(2 * end, 1.0) for end in half))
        weights = one * (accepted & right) * 2 + one * (judged & (accepted != right))
        return DrawnRates(
            false_positive,
            false_negative,
            self._rate(_part([hit, clear], answers), judged & (accepted == right), judged),
            self._rate(_part([hit], accepted_records), accepted & right, accepted),
            recall,
            self._rate(f1, accepted & right, judged & (accepted | right), weights),
            self._rate(_exact(answers, everything), judged, np.ones(len(right), dtype=np.bool_)),
            self._rate(_part([hit, miss, nothing], everything), right, np.ones(len(right), dtype=np.bool_)),
        )

    def _records(self, verdict: int, *, right: bool) -> Estimated:
        """How many records have this verdict and truth."""
        found = self._strata
        here = np.isnan(found.accepted) if verdict == 2 else found.accepted == verdict
        size = found.records[here]
        rate, low, high = found.wrong[here], self._wrong.low[here], self._wrong.high[here]
        if right:
            rate, low, high = 1 - rate, 1 - high, 1 - low
        further = 0.0 if verdict == 2 else found.further[0 if verdict == 1 else 1] * quantile(self._level) ** 2
        whole = total(size * rate, size * low, size * high, further)
        return Estimated(whole.value, max(whole.low, 0.0), min(whole.high, float(size.sum())))

    def _rate(self, sampled: Estimated, errors: Bools, members: Bools, weights: Floats | None = None) -> DrawnRate:
        """With the run's own spread. ``weights`` of F1's members, where a hit counts twice."""
        drawn = int(np.count_nonzero(members))
        counts = members.astype(np.float64) if weights is None else weights
        stands = self._weight * self._labelled.records * counts
        whole = float(stands.sum())
        if not drawn or whole <= 0:
            return DrawnRate(None, EVERYTHING, 0.0, 0, 0)
        groups = self._labelled.group
        found = widened(sampled, self._at_large(sampled.value, errors, counts, whole))
        return DrawnRate(found.value, found.interval, whole, drawn, len(np.unique(groups[members])))

    def _at_large(self, rate: float, errors: Bools, counts: Floats, whole: float) -> Estimated:
        """The rate with the ends that it would have if every response of the run were labelled."""
        unit, weight = self._labelled, self._weight
        hits = np.where(errors, counts, 0.0)
        residual = unit.records * (hits - rate * counts)
        _, place = np.unique(unit.group, return_inverse=True)
        alone = weight * residual
        pairs = float(np.sum(np.bincount(place, weights=alone) ** 2) - np.sum(alone**2))
        variance = float(np.sum(weight * residual**2)) + max(pairs, 0.0)
        plain = rate * (1 - rate) * whole
        effect = self._alike
        if plain > 0:
            # what is known of how errors correlate comes from groups with an error and another member
            several = np.bincount(place, weights=counts > 0) > 1
            informative = int(np.count_nonzero(several & (np.bincount(place, weights=hits > 0) > 0)))
            if informative:
                effect = min(max(variance / plain, 1.0) * (1 + _CORRELATED / math.sqrt(informative)), self._alike)
        worth = np.array([whole / effect])
        found = ends(rate * worth, worth, self._level)
        return Estimated(rate, float(found.low[0]), float(found.high[0]))


def _alike(frame: Frame) -> float:
    """The design effect if all records of a group shared one fate (Kish)."""
    _, place = np.unique(frame.group, return_inverse=True)
    sizes = np.bincount(place, weights=frame.records)
    return max(float(np.sum(sizes**2) / sizes.sum()), 1.0) if len(sizes) else 1.0


def _part(parts: list[Estimated], whole: float) -> Estimated:
    """Independent parts over a whole that is known."""
    values, lows, highs = (np.array(column) for column in zip(*parts, strict=True))
    found = total(values, lows, highs)
    size = whole if whole > 0 else 1.0
    return Estimated(*(min(max(end / size, 0.0), 1.0) for end in found))


def _exact(part: float, whole: float) -> Estimated:
    share = part / whole if whole > 0 else 0.0
    return Estimated(share, share, share)
