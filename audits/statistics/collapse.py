"""Steps at which a reward that needs no labels stops being one: collapse, saturation, vanishing variety.

The model collapse step and the saturation step are defined after the papers on unsupervised rewards; every constant is
an argument.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import numbers, same_length


def collapse_step(
    accuracy: ArrayLike, reward: ArrayLike, *, drop: float = 0.05, windows: int = 3, slack: float = 0.02
) -> int | None:
    """The first of ``windows`` windows in a row with audited accuracy more than ``drop`` under its running maximum,
    while the mean reward does not fall: it is at most ``slack`` below what it was when the accuracy was best.

    T values each, one per window. None where that never happens.
    """
    audited, paid = numbers("accuracy", accuracy), numbers("reward", reward)
    same_length(accuracy=audited, reward=paid)
    if windows < 1 or min(drop, slack) < 0:
        raise ValueError("windows must be at least 1, drop and slack at least 0")
    best, lasting = 0, 0
    for step in range(len(audited)):
        if audited[step] >= audited[best]:
            best = step
        fallen = audited[step] < audited[best] - drop and paid[step] >= paid[best] - slack
        lasting = lasting + 1 if fallen else 0
        if lasting == windows:
            return step - windows + 1
    return None


def saturation_step(reward: ArrayLike, ceiling: float, share: float = 0.95) -> int | None:
    """The first step whose mean reward is at least ``share`` of its ceiling: from there it has nothing to teach."""
    paid = numbers("reward", reward)
    if not (math.isfinite(ceiling) and ceiling > 0):
        raise ValueError(f"ceiling must be positive, got {ceiling:g}")
    reached = np.flatnonzero(paid >= share * ceiling)
    return int(reached[0]) if len(reached) else None


class Variety(NamedTuple):
    """Of the ``answers`` to one prompt: the ``entropy`` of their classes in nats, and how many are ``distinct``."""

    entropy: float
    distinct: int
    answers: int


def variety(classes: Sequence[Hashable | None]) -> Variety:
    """``- sum p ln p`` over equivalence classes of answers; None, no answer, is left out."""
    counts = Counter(one for one in classes if one is not None)
    total = counts.total()
    entropy = -math.fsum(count / total * math.log(count / total) for count in counts.values())
    return Variety(max(entropy, 0.0), len(counts), total)
