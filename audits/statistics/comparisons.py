"""Many p-values at once: adjusted, so that comparing each with the level keeps the promise for all of them."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, shares


def holm(p_values: ArrayLike) -> Floats:
    """Adjusted so that the chance of even one false alarm is at most the level (Holm 1979). Shape M in, M out."""
    raw = shares("p_values", p_values)
    order = np.argsort(raw, kind="stable")
    steps = raw[order] * np.arange(len(raw), 0, -1)
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjusted so that the expected share of false alarms is at most the level (1995). Shape M in, M out."""
    raw = shares("p_values", p_values)
    if not len(raw):
        return raw
    adjusted: Floats = np.asarray(scipy.stats.false_discovery_control(raw), dtype=np.float64)
    return adjusted
