"""Process benchmarks: does a judge find the first wrong step, and leave flawless solutions alone?

ProcessBench (arXiv 2412.06559) and PRMBench (arXiv 2501.03124).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

from audits.statistics.arrays import numbers
from audits.statistics.proportion import LEVEL, Proportion, proportion

FLAWLESS = -1


class FirstError(NamedTuple):
    """Of solutions with an error the share with exactly the first one found, of flawless ones the share left alone."""

    erroneous: Proportion
    flawless: Proportion

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both shares, not that of precision and recall; 0 where both are 0; None without one."""
        found, spared = self.erroneous.rate, self.flawless.rate
        if found is None or spared is None:
            return None
        return 2 * found * spared / (found + spared) if found + spared else 0.0


def first_error(labels: Sequence[int], predicted: Sequence[int | None], level: float = LEVEL) -> FirstError:
    """N indices of the first wrong step, -1 for none. A prediction that could not be read (None) is wrong.

    ``errors`` of the two proportions count successes.
    """
    if len(labels) != len(predicted):
        raise ValueError(f"one prediction per solution is needed: {len(labels)} labels, {len(predicted)} predictions")
    if any(label < FLAWLESS for label in labels):
        raise ValueError("a label is the index of the first wrong step, or -1 where there is none")
    hits = Counter((label == FLAWLESS, label == said) for label, said in zip(labels, predicted, strict=True))
    return FirstError(
        *(proportion(hits[kind, True], hits[kind, True] + hits[kind, False], level) for kind in (False, True))
    )


def first_below(scores: ArrayLike, threshold: float = 0.5) -> int:
    """A process reward model's prediction: the first step scored below the threshold, or -1."""
    steps = numbers("scores", scores)
    return next((index for index, score in enumerate(steps) if score < threshold), FLAWLESS)
