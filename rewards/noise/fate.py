"""Rate or fate: does learning from this verifier go the right way at all?

With errors that depend on the truth alone, learning keeps its direction and only slows down while Youden's J is
positive; at 0 nothing is learned, below 0 the opposite is. Source: arXiv 2601.04411. Exploitable errors, which a policy
can choose, can make a run collapse even where J is positive: probe for them as well.
"""

from __future__ import annotations

from enum import StrEnum

from rewards.noise.rates import Rate


class Fate(StrEnum):
    LEARNS = "learns"
    UNCERTAIN = "uncertain"
    NEUTRAL = "neutral"
    UNLEARNS = "unlearns"


def fate(rate: Rate) -> Fate:
    """``uncertain`` where J is positive but the lower end of its interval is not: not to be trained with yet."""
    if rate.index > 0:
        return Fate.LEARNS if rate.lowest_index > 0 else Fate.UNCERTAIN
    return Fate.NEUTRAL if rate.index == 0 else Fate.UNLEARNS
