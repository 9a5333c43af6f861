"""Several verdicts on each step made one. Pure.

Wrong steps of several critiques are those that all name (``intersection``), half of them or more (``majority``) or any
(``union``): CAPO, arXiv 2508.02298. ``mean`` keeps the mean of the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

Vote = Literal["mean", "majority", "intersection", "union"]


def merge_critiques(critiques: Sequence[Sequence[float]], vote: Vote, wrong_below: float) -> list[float]:
    """One score a step, from one list of scores a critique."""
    return [_step(scores, vote, wrong_below) for scores in zip(*critiques, strict=True)]


def _step(scores: Sequence[float], vote: Vote, wrong_below: float) -> float:
    match vote:
        case "mean":
            return fmean(scores)
        case "intersection":
            return max(scores)
        case "union":
            return min(scores)
        case "majority":
            wrong = [score for score in scores if score < wrong_below]
            right = [score for score in scores if score >= wrong_below]
            return fmean(wrong) if len(wrong) >= len(right) else fmean(right)
