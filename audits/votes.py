"""How often each pattern of votes occurs: what several subjects say of the same samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from audits.statistics.arrays import Floats


class Patterns(NamedTuple):
    """``votes`` P x V: 1, 0, or NaN for none; ``counts`` P: the samples with that pattern."""

    votes: Floats
    counts: Floats

    @property
    def cast(self) -> Floats:
        """Votes in each pattern."""
        votes: Floats = np.sum(~np.isnan(self.votes), axis=1, dtype=np.float64)
        return votes

    def of(self, some: Any) -> Patterns:
        return Patterns(self.votes[some], self.counts[some])
