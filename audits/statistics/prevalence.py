"""The true share of right responses from the accepted share and the verifier's error rates (Rogan and Gladen 1978)."""

from __future__ import annotations

import math
from typing import NamedTuple

from audits.statistics.proportion import LEVEL, Interval, quantile


class Prevalence(NamedTuple):
    """``rate`` and ``interval`` are clipped to [0, 1], ``unclipped`` is not: far outside, the error rates are wrong."""

    rate: float
    unclipped: float
    error: float
    interval: Interval


def rogan_gladen(
    accepted_share: float,
    items: int,
    false_positive: float,
    false_negative: float,
    *,
    wrong: int | None = None,
    right: int | None = None,
    level: float = LEVEL,
) -> Prevalence:
    """``(accepted_share - false_positive) / J``, with the standard error of the delta method.

    ``items`` were judged; ``wrong`` and ``right`` are the labelled items behind the two error rates, None for rates
    that are known. Raises ValueError for J <= 0, where nothing can be said, and without items.
    """
    for name, value in (
        ("accepted_share", accepted_share),
        ("false_positive", false_positive),
        ("false_negative", false_negative),
    ):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must lie in [0, 1], got {value:g}")
    if items < 1 or (wrong is not None and wrong < 1) or (right is not None and right < 1):
        raise ValueError("at least one item is needed, and one labelled item behind each rate that was measured")
    index = 1 - false_positive - false_negative
    if index <= 0:
        raise ValueError(f"J = {index:g}: the verifier says nothing of the truth, so nothing follows from its verdicts")
    share = (accepted_share - false_positive) / index
    variance = accepted_share * (1 - accepted_share) / items
    if right is not None:
        variance += share**2 * false_negative * (1 - false_negative) / right
    if wrong is not None:
        variance += (1 - share) ** 2 * false_positive * (1 - false_positive) / wrong
    error = math.sqrt(variance) / index
    reach = quantile(level) * error
    return Prevalence(_clipped(share), share, error, Interval(_clipped(share - reach), _clipped(share + reach)))


def _clipped(share: float) -> float:
    return min(max(share, 0.0), 1.0)
