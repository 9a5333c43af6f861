"""What the uncertainty of measured error rates does to the expected policy gradient of corrected rewards.

With rates that are off by ``d_positive`` and ``d_negative`` a wrong response of a slice is paid ``-d_positive / J`` and
a right one ``1 + d_negative / J`` on average (first order). The error is the same in every step: more responses do not
average it out, only labels do. With rates that all responses share it changes the size of the update alone; with
slices it prefers some to others, so the direction turns.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rewards.noise.rates import Rate, Rates


class Turned(NamedTuple):
    """``scale``: relative standard error of the update's size. ``cosine``: of the expected update with that of exact
    rates, each slice's policy logits apart; 1 without slices. ``slice``: where responses are paid least surely, with
    the standard error of their pay."""

    scale: float
    cosine: float
    slice: str
    error: float


def measure_turn(rates: Rates) -> Turned | None:
    """None for rates that are stated or that leave no J. Slices count by their labelled responses."""
    errors = rates.pooled.errors
    if errors is None or not rates.pooled.index > 0:
        return None
    scale = math.hypot(*errors) / rates.pooled.index
    known = {key: rate for key, rate in rates.slices.items() if rate.errors is not None and rate.index > 0}
    total = sum((rate.wrong or 0) + (rate.right or 0) for rate in known.values())
    right = sum(rate.right or 0 for rate in known.values())
    if not total:
        return Turned(scale, 1.0, "", scale)
    share_right = right / total
    signal = noise = 0.0
    for rate in known.values():
        for count, error, truth in zip((rate.wrong, rate.right), _paid(rate), (0.0, 1.0), strict=True):
            share = (count or 0) / total
            signal += (share * (truth - share_right)) ** 2
            noise += (share * error) ** 2
    least = max(known, key=lambda key: max(_paid(known[key])))
    cosine = math.sqrt(signal / (signal + noise)) if signal > 0 else 0.0
    return Turned(scale, cosine, least, max(_paid(known[least])))


def _paid(rate: Rate) -> tuple[float, float]:
    """Standard errors of what a wrong and a right response of the slice are paid on average."""
    positive, negative = rate.errors or (0.0, 0.0)
    return positive / rate.index, negative / rate.index
