"""The false-negative rate from appeals as a ratio of averages, with its interval.

Averaging the ratios of single batches is biased where batches are small, and says nothing in a batch of one response.
Here the counts are averaged, and their ratio is taken once. Groups of responses are what was drawn: the standard error
is that of a ratio over groups (linearised, Cochran 1977, section 6.3), with the weights that the moving average gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rewards.schema import Share, Strict

_Z = 1.959964
_FEW = 30
"""Below so many groups with an overturned rejection the linearised error is not trusted alone."""

Group = tuple[float, float, float]
"""Accepted and rejected responses, and overturned rejections."""


class Moments(Strict):
    """Weighted sums over groups: of their counts, of the products of these (``aa, ar, ao, rr, ro, oo``, with squared
    weights), of appeals and of answered ones. ``squared`` counts the responses with squared weights; ``step`` is the
    latest that was counted."""

    sums: Group = (0.0, 0.0, 0.0)
    products: tuple[float, ...] = (0.0,) * 6
    appealed: float = 0.0
    answered: float = 0.0
    squared: float = 0.0
    step: int | None = None

    def with_groups(
        self, groups: Sequence[Group], appealed: int, answered: int, *, keep: float, step: int | None
    ) -> Moments:
        """With a request's groups. What was there is worth ``keep`` of it where a new step begins; requests without a
        step are steps of their own, and those of an earlier step count as of the latest."""
        if step is not None and self.step is not None and step <= self.step:
            keep = 1.0
        products = [keep * keep * value for value in self.products]
        for group in groups:
            pairs = [(one, other) for one in range(3) for other in range(one, 3)]
            for place, (one, other) in enumerate(pairs):
                products[place] += group[one] * group[other]
        accepted, rejected, overturned = (
            keep * before + sum(column) for before, column in zip(self.sums, zip(*groups, strict=True), strict=True)
        )
        return Moments(
            sums=(accepted, rejected, overturned),
            products=tuple(products),
            appealed=keep * self.appealed + appealed,
            answered=keep * self.answered + answered,
            squared=keep * keep * self.squared + sum(group[0] + group[1] for group in groups),
            step=self.step if step is None else max(step, self.step or step),
        )


class Recheck(NamedTuple):
    """How rejections are rechecked: which share, and how often the judge overturns right and wrong ones."""

    share: float
    hits: float
    alarms: float


class RatioEstimate(NamedTuple):
    """Expected numbers of right responses, rejected by mistake and accepted, and the rate with its 95% interval."""

    missed: float
    found: float
    rate: Share
    interval: tuple[Share, Share]


def estimate(
    moments: Moments, judge: Recheck, false_positive: float, prior: tuple[float, float] | None = None
) -> RatioEstimate | None:
    """``missed / (missed + found)``; None while no appeal was answered or no response is likely to be right.

    ``missed = (overturned / share - alarms * rejected) / (hits - alarms)``, ``found`` = accepted less false positives;
    unanswered appeals lower the share. ``prior`` adds missed and found responses. The rates of the judge and
    ``false_positive`` are taken as exact.

    The interval is the wider of the linearised one and Wilson's at the number of right responses that the counts are
    worth: at most that of independent responses, and for few overturned rejections that of groups counted as one
    response each.
    """
    if moments.answered == 0:
        return None
    share = judge.share * moments.answered / moments.appealed
    apart = judge.hits - judge.alarms
    missing = (0.0, -judge.alarms / apart, 1 / (share * apart))
    wrong = false_positive / (1 - false_positive)
    finding = (1.0, wrong * (missing[1] - 1), wrong * missing[2])
    missed, found = _dot(missing, moments.sums), _dot(finding, moments.sums)
    before_missed, before_found = prior or (0.0, 0.0)
    total = missed + found + before_missed + before_found
    if not total > 0 or not missed + found > 0:
        return None
    ratio = (missed + before_missed) / total
    rate = min(max(ratio, 0.0), 1.0)
    every: Group = (finding[0], missing[1] + finding[1], missing[2] + finding[2])
    residual: Group = (-ratio * every[0], missing[1] - ratio * every[1], missing[2] - ratio * every[2])
    variance = max(_square(residual, moments.products), 0.0) / total**2
    # rejected ones are seen seldom, so as many right responses are worth less than as many labels
    thinned = (1 - rate) / (share * judge.hits) + rate
    alone = (missed + found) * (moments.sums[0] + moments.sums[1]) / moments.squared / thinned
    groups = (missed + found) ** 2 / _square(every, moments.products) / thinned
    worth = min(rate * (1 - rate) / variance if variance > 0 and 0 < rate < 1 else math.inf, alone)
    if _groups_overturned(moments) < _FEW:
        worth = min(worth, groups)
    low, high = _wilson(rate, worth + before_missed + before_found)
    spread = _Z * math.sqrt(variance)
    return RatioEstimate(
        max(missed, 0.0),
        max(found, 0.0),
        rate,
        (max(min(low, ratio - spread), 0.0), min(max(high, ratio + spread), 1.0)),
    )


def _groups_overturned(moments: Moments) -> float:
    """By Kish's formula."""
    return moments.sums[2] ** 2 / moments.products[5] if moments.products[5] > 0 else 0.0


def _wilson(rate: float, size: float) -> tuple[float, float]:
    middle = (rate + _Z**2 / (2 * size)) / (1 + _Z**2 / size)
    half = _Z / (1 + _Z**2 / size) * math.sqrt(rate * (1 - rate) / size + (_Z / (2 * size)) ** 2)
    return middle - half, middle + half


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _square(of: Group, products: Sequence[float]) -> float:
    """The quadratic form of a linear combination of the counts."""
    a, r, o = of
    return _dot((a * a, 2 * a * r, 2 * a * o, r * r, 2 * r * o, o * o), products)
