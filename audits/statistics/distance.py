"""How far two reward functions are apart, on the same responses: 0 the same but for shift and scale, 1 opposite.

Scores are centred per prompt, since only differences within a prompt move a policy: adapted from STARC (arXiv
2309.15257).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import Floats, Groups, codes, numbers, same_length


def reward_distance(first: ArrayLike, second: ArrayLike, groups: Groups) -> float | None:
    """``|| a/|a| - b/|b| || / 2`` in [0, 1], a and b N scores less their prompts' means.

    None where one of them gives all responses to each prompt the same: it has no direction. Leave out the responses
    that one of them could not score.
    """
    one, other = numbers("first", first), numbers("second", second)
    place = codes("groups", groups)
    same_length(first=one, second=other, groups=place)
    units = [_unit(values, place) for values in (one, other)]
    if units[0] is None or units[1] is None:
        return None
    return min(float(np.linalg.norm(units[0] - units[1])) / 2, 1.0)


def centre_groups(values: Floats, place: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
    """Values less the mean of their group; exactly 0 in a group of equal values."""
    if not len(values):
        return values
    # measured from a member first, so that equal values leave no rounding
    anchor = np.zeros(int(place.max()) + 1)
    anchor[place] = values
    rest = values - anchor[place]
    mean = np.bincount(place, weights=rest) / np.maximum(np.bincount(place), 1)
    gap: Floats = rest - mean[place]
    return gap


def _unit(values: Floats, place: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats | None:
    gap = centre_groups(values, place)
    largest = float(np.abs(gap).max(initial=0.0))
    if largest == 0:
        return None
    scaled = gap / largest  # no overflow in the squares
    unit: Floats = scaled / np.linalg.norm(scaled)
    return unit
