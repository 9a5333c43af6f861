"""Scalars from comparisons of the members of a group; pure. Members are numbers, those without a match are left out.

Sources: arXiv 2505.16265 and NeMo Gym (mean scores), arXiv 2506.00103 (``bootstrapped``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

import numpy as np

PSEUDO_WINS = 0.5
"""For each of two that met: without them who wins everything would be infinitely strong."""
_START, _SCALE, _K = 1000.0, 400.0, 32.0
_SHUFFLES = 200
_STEPS, _LONGEST_STEP, _SETTLED, _DIGITS = 200, 2.0, 1e-12, 9


@dataclass(frozen=True, slots=True)
class Match:
    """How far ``one`` is preferred to ``other``; ``agreed`` is 1 or -1 where every reply says so. ``scores`` are those
    of both in this comparison."""

    one: int
    other: int
    preference: float
    agreed: int = 0
    consistent: bool = True
    scores: tuple[float, float] | None = None


def members_of(matches: Iterable[Match]) -> list[int]:
    return sorted({place for match in matches for place in (match.one, match.other)})


def mean_scores(matches: Sequence[Match]) -> dict[int, float]:
    """The mean of each one's scores over its comparisons."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for match in matches:
        assert match.scores is not None, "these comparisons give scores"
        found[match.one].append(match.scores[0])
        found[match.other].append(match.scores[1])
    return {place: fmean(scores) for place, scores in found.items()}


def win_rates(matches: Sequence[Match]) -> dict[int, float]:
    """The mean preference over the others that each one met."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for match in matches:
        found[match.one].append(match.preference)
        found[match.other].append(1 - match.preference)
    return {place: fmean(shares) for place, shares in found.items()}


def bradley_terry(matches: Sequence[Match], pseudo_wins: float = PSEUDO_WINS) -> dict[int, float] | None:
    """Log strengths that sum to 0: ``P(i over j) = sigmoid(s_i - s_j)``, a tie half a win for each.

    None where not all have met each other through others: then nothing ties their strengths together.
    """
    places = members_of(matches)
    index = {place: number for number, place in enumerate(places)}
    wins = np.zeros((len(places), len(places)))
    for match in matches:
        one, other = index[match.one], index[match.other]
        wins[one, other] += match.preference + pseudo_wins
        wins[other, one] += 1 - match.preference + pseudo_wins
    met = wins + wins.T
    if not places:
        return {}
    if not _connected(met > 0):
        return None
    strengths = np.zeros(len(places))
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        slope = (wins - met * chance).sum(axis=1)
        bend = met * chance * (1 - chance)
        # the strengths' sum is free: held at 0 by the ones
        step = np.linalg.solve(np.diag(bend.sum(axis=1)) - bend + 1 / len(places), slope)
        strengths += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _SETTLED:
            break
    strengths -= strengths.mean()
    return {place: round(float(strength), _DIGITS) for place, strength in zip(places, strengths, strict=True)}


def _connected(met: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> bool:
    reached = np.zeros(len(met), dtype=bool)
    reached[:1] = True
    for _ in range(len(met)):
        reached |= met[reached].any(axis=0)
    return bool(reached.all())


def elo(matches: Sequence[Match], seed: int | None = None, shuffles: int = _SHUFFLES) -> dict[int, float]:
    """Ratings from 1000 on, K 32: the mean over many orders, for the order of the matches means little."""
    places = members_of(matches)
    random = Random(f"elo {seed}")
    order = list(matches)
    total = dict.fromkeys(places, 0.0)
    for _ in range(shuffles):
        random.shuffle(order)
        ratings = dict.fromkeys(places, _START)
        for match in order:
            expected = 1 / (1 + 10 ** ((ratings[match.other] - ratings[match.one]) / _SCALE))
            moved = _K * (match.preference - expected)
            ratings[match.one] += moved
            ratings[match.other] -= moved
        for place in places:
            total[place] += ratings[place]
    return {place: rating / shuffles for place, rating in total.items()}


def score_against(matches: Sequence[Match], reference: int) -> dict[int, float]:
    """1 for who beats the reference in every reply, -1 for whoever does not, 0 for the reference itself."""
    found = {reference: 0.0} if matches else {}
    for match in matches:
        if reference not in (match.one, match.other):
            continue
        other, agreed = (match.other, -match.agreed) if match.one == reference else (match.one, match.agreed)
        found[other] = 1.0 if agreed == 1 else -1.0
    return found


def level(standings: Mapping[int, float], texts: Mapping[int, str], reference: int | None = None) -> dict[int, float]:
    """Standings in which equal texts stand equal: at their mean, or where the reference is one of them, where it is.

    Whom a response met, and where in a list it was shown, is chance: it must not part two copies of one response.
    """
    copies: defaultdict[str, list[int]] = defaultdict(list)
    for place in standings:
        copies[texts[place]].append(place)
    found: dict[int, float] = {}
    for among in copies.values():
        standing = fmean(standings[place] for place in among)
        if reference is not None and reference in among:
            standing = standings[reference]
        found |= dict.fromkeys(among, standing)
    return found


def balance(scores: Collection[float]) -> float:
    """``|sum| / size``: near 1 the reference was worse, or better, than nearly everyone; 0 where there are none."""
    return abs(sum(scores)) / max(len(scores), 1)
