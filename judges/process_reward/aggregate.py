"""One number out of the scores of steps, and where the first wrong one is. Pure.

Product and minimum are those of PRM800K and Math-Shepherd (arXiv 2305.20050, 2312.08935); the last one, of search with
process reward models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

Scores = Sequence[float]
_EDGE = 1e-12
"""Probabilities of 0 and 1 are taken for this far from them, where their odds are needed."""


def product(scores: Scores) -> float:
    return math.prod(scores)


def geometric_mean(scores: Scores) -> float:
    """0 where one of them is 0 or less."""
    if min(scores) <= 0:
        return 0.0
    return math.exp(fmean(math.log(score) for score in scores))


def last(scores: Scores) -> float:
    return scores[-1]


def mean_logit(scores: Scores) -> float:
    """``sigmoid(mean log odds)``, in (0, 1)."""
    middle = fmean(math.log(p / (1 - p)) for p in map(_inside, scores))
    return 1 / (1 + math.exp(-middle))


def mean_odds(scores: Scores) -> float:
    """``mean p/(1 - p)``, at least 0."""
    return fmean(max(0.0, p / (1 - p)) for p in map(_inside, scores))


def sum_of_logs(scores: Scores) -> float:
    return math.fsum(math.log(_inside(score)) for score in scores)


AGGREGATES: Mapping[str, Callable[[Scores], float]] = {
    "min": min,
    "product": product,
    "mean": fmean,
    "geometric_mean": geometric_mean,
    "last": last,
    "sum": math.fsum,
    "sum_of_logs": sum_of_logs,
    "mean_logit": mean_logit,
    "mean_odds": mean_odds,
}


def first_error(probabilities: Scores, threshold: float) -> int:
    """The index of the first step below the threshold, else -1: the decision of ProcessBench (arXiv 2412.06559)."""
    return next((place for place, one in enumerate(probabilities) if one < threshold), -1)


def _inside(p: float) -> float:
    return min(max(p, _EDGE), 1 - _EDGE)
