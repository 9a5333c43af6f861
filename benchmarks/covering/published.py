"""Published intervals of a weighted rate, from labelled wrong responses alone, to hold the product's against."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from benchmarks.covering.world import Bools, Floats

Z = 1.959964


def linearised(errors: Bools, weight: Floats) -> tuple[float, float]:
    """Hájek's ratio with its linearised variance, and Wilson's interval at the size that has this variance (Korn and
    Graubard 1998)."""
    whole = float(weight.sum())
    rate = float(weight @ errors) / whole
    variance = float(np.sum(weight * weight * (errors - rate) ** 2)) / whole**2
    if not 0 < rate < 1 or variance <= 0:
        return _wilson(rate, whole**2 / float(weight @ weight))
    return _wilson(rate, rate * (1 - rate) / variance)


def gamma(errors: Bools, weight: Floats) -> tuple[float, float]:
    """Fay and Feuer 1997: a weighted sum of Poisson counts as a gamma variable; the heaviest weight is added above."""
    share = weight / weight.sum()
    total, square, heaviest = float(share @ errors), float(share**2 @ errors), float(share.max())
    low = 0.0 if total == 0 else square / (2 * total) * float(stats.chi2.ppf(0.025, 2 * total**2 / square))
    above, spread = total + heaviest, square + heaviest**2
    return low, min(spread / (2 * above) * float(stats.chi2.ppf(0.975, 2 * above**2 / spread)), 1.0)


def by_probability(errors: Bools, weight: Floats) -> tuple[float, float]:
    """Wilson's interval for each distinct probability, combined by MOVER (Zou and Donner 2008)."""
    rate = down = up = 0.0
    for one in np.unique(weight):
        here = weight == one
        share, size = float(one * here.sum() / weight.sum()), int(here.sum())
        found = float(errors[here].mean())
        low, high = _wilson(found, size)
        rate += share * found
        down += (share * (found - low)) ** 2
        up += (share * (high - found)) ** 2
    return max(rate - math.sqrt(down), 0.0), min(rate + math.sqrt(up), 1.0)


def _wilson(rate: float, size: float) -> tuple[float, float]:
    spread = Z * Z / size
    centre = (rate + spread / 2) / (1 + spread)
    half = Z * math.sqrt(rate * (1 - rate) / size + spread / (4 * size)) / (1 + spread)
    return max(centre - half, 0.0), min(centre + half, 1.0)
