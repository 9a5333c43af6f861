"""How many a sample with unequal but known probabilities stands for (Horvitz and Thompson 1952).

Each drawn item counts 1/probability times; ``error`` is the classical standard error of Poisson sampling, where each
item is drawn on its own. Rates of such items are in ``drawn``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import probabilities, same_length, truths


class EstimatedTotal(NamedTuple):
    """A Horvitz-Thompson total with its standard error."""

    total: float
    error: float


def horvitz_thompson(values: ArrayLike, probability: ArrayLike) -> EstimatedTotal:
    """The number of ones in a population, from a Poisson sample of n values (1 or 0) drawn with ``probability``."""
    counted, chance = truths("values", values), probabilities("probability", probability)
    same_length(values=counted, probability=chance)
    variance = float(np.sum((1 - chance) / chance**2 * counted))
    return EstimatedTotal(float(np.sum(counted / chance)), math.sqrt(variance))
