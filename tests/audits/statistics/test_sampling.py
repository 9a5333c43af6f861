"""Horvitz and Thompson's total: unbiased, and its variance, over all samples that could have been drawn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from audits.statistics.sampling import horvitz_thompson

POPULATION = np.array([1, 0, 1, 1, 0, 0, 0, 1])
CHANCES = np.array([0.9, 0.2, 0.5, 0.3, 0.7, 0.4, 1.0, 0.6])


def test_total_and_its_variance_are_unbiased_over_all_poisson_samples() -> None:
    mean = square = variance = 0.0
    for drawn in product([False, True], repeat=len(POPULATION)):
        picked = np.array(drawn)
        chance = float(np.prod(np.where(picked, CHANCES, 1 - CHANCES)))
        if chance:
            found = horvitz_thompson(POPULATION[picked], CHANCES[picked])
            mean += chance * found.total
            square += chance * found.total**2
            variance += chance * found.error**2
    assert mean == pytest.approx(4, abs=1e-9)
    assert variance == pytest.approx(square - mean**2, abs=1e-9)
