"""What several replies say of a response against another: one preference that no place in the prompt bought.

Position swap: with (A, B) and (B, A) asked, probabilities are averaged; verdicts count where both agree, and are a tie
where they do not (arXiv 2306.05685).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from judges.comparative.reading import Listed, Said, share, sign

_DIGITS = 9
"""Sums of the same scores in another order are the same."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Of a response against another: ``preference`` in [0, 1]; ``agreed`` is 1 where all replies prefer it, -1 where
    all prefer the other, else 0; ``consistent`` where all replies say the same; ``scores`` are its own and the
    other's."""

    preference: float
    agreed: int
    consistent: bool
    scores: tuple[float, float] | None = None


def of_orders(duels: Sequence[tuple[Said, Said]], *, probabilities: bool, copies: bool = False) -> Opinion:
    """``duels`` are the replies in pairs: with the response shown first, and with it shown second. ``copies``: both
    are the same text, of which one is as good as the other, also where replies are drawn."""
    signs = [one for forth, back in duels for one in (sign(forth.first - 0.5), sign(0.5 - back.first))]
    if probabilities:
        preference = fmean((forth.first + 1 - back.first) / 2 for forth, back in duels)
    else:
        preference = fmean(
            share(one if one == other else 0) for one, other in zip(signs[::2], signs[1::2], strict=True)
        )
    scores = _scores(duels)
    if copies:
        level = None if scores is None else (fmean(scores), fmean(scores))
        return Opinion(0.5, 0, len(set(signs)) == 1, level)
    return Opinion(preference, _agreed(signs), len(set(signs)) == 1, scores)


def _scores(duels: Sequence[tuple[Said, Said]]) -> tuple[float, float] | None:
    own, others = [], []
    for forth, back in duels:
        if forth.scores is None or back.scores is None:
            return None
        own += [forth.scores[0], back.scores[1]]
        others += [forth.scores[1], back.scores[0]]
    return fmean(own), fmean(others)


def of_lists(lists: Sequence[Listed]) -> list[Opinion]:
    """Of the first response against each of the others, by the sums over all replies (arXiv 2504.02495)."""
    worths = [fmean(worth) for worth in zip(*(one.worth for one in lists), strict=True)]
    found = []
    for place in range(1, len(worths)):
        signs = [sign(one.worth[0] - one.worth[place]) for one in lists]
        preference = share(round(worths[0] - worths[place], _DIGITS))
        found.append(Opinion(preference, _agreed(signs), len(set(signs)) == 1, (worths[0], worths[place])))
    return found


def _agreed(signs: Sequence[int]) -> int:
    return signs[0] if len(set(signs)) == 1 else 0
