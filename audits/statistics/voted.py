"""Rates of drawn labels of which each may be wrong: how often is found from labellers that disagree.

Two things more are not known. **How wrong labels are** (``label_errors``): the rates are computed again at the edge
of what labels' errors may be. **Which of the labelled responses are wrong**: the variance of a stratum's share beyond
that of its responses, by Fisher's information with labels and with the truth (Louis 1982). Both are added to the rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audits.statistics.arrays import Floats
from audits.statistics.drawn import DrawnRate, DrawnRates
from audits.statistics.frame import Frame, Strata, cells
from audits.statistics.interval_ends import Estimated, RateEnds, ends, widen
from audits.statistics.label_errors import LabelErrors, Votes, estimate_wrong_shares
from audits.statistics.proportion import LEVEL, quantile


class VotedRates(DrawnRates):
    """The rates of a frame whose ``right`` says which units have labels, with ``votes`` for each unit."""

    def __init__(
        self,
        frame: Frame,
        votes: Votes,
        errors: LabelErrors,
        *,
        level: float = LEVEL,
        lasting: bool = False,
        at_large: bool = True,
    ) -> None:
        self._errors, self._labels = errors, votes.labels[frame.labelled]
        super().__init__(_likely(frame, votes, errors), level=level, lasting=lasting, at_large=at_large)
        self._others = [DrawnRates(_likely(frame, votes, one), at_large=False) for one in errors.around(level)]

    def false_positive(self) -> DrawnRate:
        return self._allowing(DrawnRates.false_positive)

    def false_negative(self) -> DrawnRate:
        return self._allowing(DrawnRates.false_negative)

    def accuracy(self) -> DrawnRate:
        return self._allowing(DrawnRates.accuracy)

    def precision(self) -> DrawnRate:
        return self._allowing(DrawnRates.precision)

    def f1(self) -> DrawnRate:
        return self._allowing(DrawnRates.f1)

    def right(self) -> DrawnRate:
        return self._allowing(DrawnRates.right)

    def _allowing(self, rate: Callable[[DrawnRates], DrawnRate]) -> DrawnRate:
        """For what is not known of labels' errors."""
        found = rate(self)
        beside = [other.rate for other in map(rate, self._others) if other.rate is not None]
        if found.rate is None or not beside:
            return found
        by = Estimated(found.rate, min(*beside, found.rate), max(*beside, found.rate))
        return found._replace(interval=widen(Estimated(found.rate, *found.interval), by).interval)

    def _ends(self, found: Strata, level: float, lasting: bool) -> RateEnds:
        """The share's own ends, and what the truth of its labelled units would take away, each at its end: where no
        wrong unit was found its variance at 0 would be nothing."""
        known = super()._ends(found, level, lasting)
        size, z = len(found.records), quantile(level)
        stands, squares = (np.bincount(found.place, weights=found.stands**power, minlength=size) for power in (1, 2))
        worth = np.divide(stands**2, squares, out=np.ones(size), where=squares > 0)
        counts, code = np.unique(self._labels.astype(np.int64), return_inverse=True)

        def unsure(share: Floats) -> Floats:
            told = found.stands * self._errors.information(counts, share)[found.place, code]
            mean = np.bincount(found.place, weights=told, minlength=size) / np.where(stands > 0, stands, 1.0)
            lost = np.divide(1.0, mean, out=np.zeros(size), where=mean > 0) - share * (1 - share)
            half: Floats = z * np.sqrt(np.maximum(lost, 0.0) / worth)
            return half

        down, up = unsure(found.wrong), unsure(ends(found.wrong * worth, worth, level).high)
        low = found.wrong - np.hypot(found.wrong - known.low, down)
        high = found.wrong + np.hypot(known.high - found.wrong, up)
        return RateEnds(np.maximum(low, 0.0), np.minimum(high, 1.0))


def _likely(frame: Frame, votes: Votes, errors: LabelErrors) -> Frame:
    """With the probability that each labelled unit is right, given its labels and its stratum."""
    some = frame.labelled
    place = cells(frame)[some]
    wrong, right = errors.likelihoods(Votes(votes.wrong[some], votes.right[some]))
    stands = frame.records[some] / frame.chance[some]
    share = estimate_wrong_shares(place, stands, wrong, right, int(place.max(initial=-1)) + 1)[place]
    likely = np.full(len(frame.right), np.nan)
    likely[some] = (1 - share) * right / (share * wrong + (1 - share) * right)
    return frame.with_labels(likely)
