"""Forward correction: a signed weight on the policy gradient, not a reward.

``accepted - (1 - false_negative)`` has mean 0 given a right response and -J given a wrong one, so the expected update
is J times the clean one, without the false-positive rate and without blowing up the variance. Only where all
responses of a prompt share their rates: by slices each slice would be scaled by its own J and the direction turn.

Source: Cai et al., arXiv 2510.00915.
"""

from __future__ import annotations


def weight(accepted: float, false_negative: float) -> float:
    """In [-1, 1]: ``false_negative`` for an accepted response, ``false_negative - 1`` for a rejected one."""
    return accepted - (1 - false_negative)
