"""Scores of criteria made one score, by the rubric's weight mode; and what is made of those that there are none of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from trueward.rubrics import Criterion, Rubric

MISSING_SHARE = 0.2
"""Of the weight that the score is divided by, at most so much may be left out."""


class Total(NamedTuple):
    """``unclipped`` is the score before ``signed_pos_norm_clip`` brings it into [0, 1]; else the same."""

    score: float
    unclipped: float


def total(rubric: Rubric, scores: Mapping[str, float]) -> Total:
    """Of the criteria that have a score, in [0, 1]: the others are left out, of the divisor too.

    The divisor of these must not be 0: see :func:`can_spare`.
    """
    judged = [one for one in rubric.criteria if one.id in scores]
    best = rubric.model_copy(update={"criteria": judged}).best
    raw = sum(one.weighs * scores[one.id] for one in judged) / best
    clips = rubric.weight_mode == "signed_pos_norm_clip"
    return Total(min(max(raw, 0.0), 1.0) if clips else raw, raw)


def can_spare(rubric: Rubric, missing: Collection[str]) -> bool:
    """Whether so little is missing that the rest may speak for the whole."""
    lost = sum(abs(one.weighs) for one in rubric.criteria if one.id in missing)
    return lost <= MISSING_SHARE * rubric.best * (1 + 1e-9)


def worst(criterion: Criterion) -> float:
    """The score of a criterion that a response kept the judge from replying to: what earns least."""
    return 1.0 if criterion.weighs < 0 else 0.0


def lacks(criterion: Criterion, score: float) -> bool:
    """Whether the criterion could have earned more."""
    return score > 0 if criterion.weighs < 0 else score < 1
