"""A test that may be looked at after every step: is the mean of groups' shares above a limit?

``sequential`` divides counts by their design effect. Where nearly all records hit, too few do not for that to be known:
the one prompt in ten whose responses never hit may not have come yet. So each group bets here, whatever its responses
have in common (Waudby-Smith and Ramdas 2024, arXiv 2010.09686): the capital ``1 + bet (share - limit)`` is multiplied
group by group. While no step's mean share is above the limit, it is a supermartingale, and the chance that it ever
reaches ``1 / chance`` is at most ``chance`` (Ville 1939). Groups have to be independent, and nothing else.

Half of the capital is put down at the first step, the rest spread over later ones, for a share that rises later; and
it is divided among two sizes of bets.
"""

from __future__ import annotations

import numpy as np

from audits.statistics.arrays import Floats, Ints
from audits.statistics.sequential import TAU, Crossing, cumulate

BETS = (0.5, 0.95)
"""Of the largest bet that leaves some capital after a group without any hit."""
SMALLEST = 1e-9
"""Of what a bet is divided by: a limit of 0 is exceeded by any hit."""


def detect_mean_above(shares: Floats, step: Ints, steps: int, chance: float, limit: float) -> Crossing | None:
    """Whether the mean share of groups was above ``limit`` at any step; ``step`` is each group's, of ``steps``.

    Of a crossing ``after`` is the mean share since the step ``since``.
    """
    if not steps:
        return None
    bets = np.array(BETS)[:, None] / max(limit, SMALLEST)
    logs = np.log1p(bets * (shares - limit))
    grown: Floats = np.stack([np.bincount(step, one, minlength=steps) for one in logs]).astype(np.float64)
    sums = cumulate(grown)
    later = np.arange(steps - 1)
    put = np.log(np.concatenate([[0.5], 0.5 * TAU / ((later + TAU) * (later + TAU + 1))]))
    capital = sums[:, 1:] + np.logaddexp.accumulate(put - sums[:, :-1], axis=1)
    crossed = np.flatnonzero(np.logaddexp.reduce(capital, axis=0) - np.log(len(BETS)) >= -np.log(chance))
    if not len(crossed):
        return None
    found, last = int(crossed[0]), int(crossed[-1])
    best = int(np.argmax(capital[:, last]))
    since = min(int(np.argmin(sums[best, : last + 1])), found)
    return Crossing(found, last, since, limit, float(shares[(step >= since) & (step <= last)].mean()))
