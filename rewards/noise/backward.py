"""Backward correction: a reward whose mean is the truth. Not in [0, 1], and never clipped, which would bias it.

Sources: Cai et al., arXiv 2510.00915, section 3; the loss of Natarajan et al., NeurIPS 2013.
"""

from __future__ import annotations

import math

from trueward.estimators.noise import youden


def corrected(accepted: float, false_positive: float, false_negative: float) -> float:
    """``(accepted - false_positive) / J`` for 1 (accepted) or 0 (rejected), so that its mean given the truth is it.

    Its variance grows with 1/J². Raises ValueError where J is not positive.
    """
    return (accepted - false_positive) / youden(false_positive, false_negative)


def uncertainty(accepted: float, false_positive: float, false_negative: float, errors: tuple[float, float]) -> float:
    """Standard error of :func:`corrected` for independent estimates of both rates with these standard errors (delta
    method). It is the same for all responses of a slice, so no number of them averages it out."""
    index = youden(false_positive, false_negative)
    by_positive = (accepted - 1 + false_negative) / index**2
    by_negative = (accepted - false_positive) / index**2
    return math.hypot(by_positive * errors[0], by_negative * errors[1])


def corrected_loss(loss: float, other_loss: float, flip: float, other_flip: float) -> float:
    """The unbiased loss of an observed label: ``((1 - other_flip) loss - flip other_loss) / (1 - flip - other_flip)``.

    ``loss`` is that of the observed label and ``other_loss`` of the other one, ``flip`` = P(label changed | the
    observed one is true) and ``other_flip`` the same of the other. May be negative.
    """
    return ((1 - other_flip) * loss - flip * other_loss) / youden(flip, other_flip)
