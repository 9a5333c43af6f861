"""Group statistics with the verifier's error rates taken out, and what a correction can change.

``false_positive`` = P(accepted | wrong), ``false_negative`` = P(rejected | right), both equal for all responses of
the group; ``index`` = 1 - false_positive - false_negative is Youden's J. Source: Noise-corrected GRPO, arXiv
2510.18924, section 5.1. Its spread is a plug-in, too small by the variance of the rate that is plugged in; that is
added back here.

Why an estimator matters: correction is affine in the reward with constants that a group shares, so dividing by the
group's own spread removes it, and subtracting a mean leaves only the factor 1/J. Where rates differ by a feature of
the response it does change the direction, under every estimator.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

from trueward.estimators.advantage import centre
from trueward.estimators.scores import Scores, drop_missing, mean, zero_variance
from trueward.former_names import former_names

_LARGEST_VARIANCE = 0.25
"""Of an outcome that is yes or no."""


class Estimator(StrEnum):
    """What a trainer makes of a group's rewards."""

    RAW = "raw"
    CENTRED = "centred"
    LEAVE_ONE_OUT = "leave_one_out"
    FIXED_SCALE = "fixed_scale"
    STANDARDISED = "standardised"
    DEBIASED = "debiased"


class Effect(StrEnum):
    """What correcting with rates that a group shares does to an estimator's update."""

    NONE = "none"
    SCALE = "scale"
    DIRECTION = "direction"


def effect(estimator: Estimator, *, rates_differ_within_group: bool) -> Effect:
    """What a backward correction changes in expectation; rates that differ within a group turn the direction."""
    if rates_differ_within_group:
        return Effect.DIRECTION
    return Effect.NONE if estimator is Estimator.STANDARDISED else Effect.SCALE


class TrueRate(NamedTuple):
    """Success rate and spread of the true outcomes of a group, as the rates make them likely."""

    rate: float
    std: float


def true_rate(accepted: Scores, false_positive: float, false_negative: float, *, clip: bool = True) -> TrueRate | None:
    """``p = (mean - false_positive) / J`` and its spread from G accepted (1) and rejected (0) responses.

    The square of the spread is ``p (1 - p) + mean (1 - mean) / ((G - 1) J^2)``: the second part is the estimated
    variance of p, by which the first is too small on average. Unclipped the sum is unbiased, and with an exact verifier
    it is the sample variance; where it is below 0 the spread is 0. Clipped, p lies in [1/2G, 1 - 1/2G], and the spread
    is at most 1/2, the most that yes or no can have. None without a score. Raises ValueError for J <= 0: such a
    verifier says nothing.
    """
    index = youden(false_positive, false_negative)
    observed = mean(accepted)
    if observed is None:
        return None
    size = len(drop_missing(accepted))
    rate = (observed - false_positive) / index
    variance = observed * (1 - observed) / (max(size - 1, 1) * index**2)
    if not clip:
        return TrueRate(rate, math.sqrt(max(rate * (1 - rate) + variance, 0.0)))
    margin = 1 / (2 * size)
    rate = min(max(rate, margin), 1 - margin)
    return TrueRate(rate, math.sqrt(min(rate * (1 - rate) + variance, _LARGEST_VARIANCE)))


def debias(accepted: Scores, false_positive: float, false_negative: float, *, clip: bool = True) -> list[float]:
    """``(corrected reward - its mean) / spread``, the spread that of :func:`true_rate`. Sums to 0.

    The mean of the corrected rewards is the unclipped p. 0 where the score is missing, and for a group whose observed
    rewards are all equal: it says nothing of which response is better, whatever the clip makes of its spread.
    """
    truth = true_rate(accepted, false_positive, false_negative, clip=clip)
    if truth is None or truth.std == 0 or zero_variance(accepted):
        return [0.0] * len(accepted)
    scale = youden(false_positive, false_negative) * truth.std
    return [one / scale for one in centre(accepted)]


def youden(false_positive: float, false_negative: float) -> float:
    """Youden's J = 1 - false positive rate - false negative rate. Raises ValueError where it is not positive."""
    index = 1 - false_positive - false_negative
    if not index > 0:
        raise ValueError(
            f"false_positive {false_positive} and false_negative {false_negative} leave no information: "
            "their sum must be below 1"
        )
    return index


__getattr__ = former_names(__name__, {"debiased": "debias"})
