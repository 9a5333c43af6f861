"""Which verifiers count as one: those that agree beyond what independent errors explain.

Three verifiers that always agree may be right together or wrong together; without labels nobody can say which. So a
group of verifiers is one *family*, one voter, where

* all of it agree nearly always (Cohen's kappa of each pair at least ``ALIKE``), or
* each pair of it disagrees at most ``CLOSER`` times as often as any of it does with any other verifier: errors that
  differ so much would have to be those of very good verifiers, and no other is there to vouch for them, or
* after that, four voters or more are left, and a pair of them agrees more than the fitted error rates explain. Of the
  pairs the one is merged after which the rest looks most independent.

Two of them err on the safe side: really independent verifiers that are nearly free of errors are merged, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from audits.statistics.agreement import cohen_kappa
from audits.statistics.arrays import Floats
from audits.statistics.dawid_skene import Consensus, dawid_skene

ALIKE = 0.9
CLOSER = 1 / 3
LEAST_DISTINCT = 4
"""Voters from which on shared errors of two of them can be seen at all: the votes of three fit any error rates."""

Family = tuple[int, ...]
"""Verifiers by their place."""


def families(votes: Floats, counts: Floats, fit: Callable[[Floats], Consensus] | None = None) -> list[Family]:
    """Of the verifiers behind P x V patterns of votes (NaN where missing), in the order of their first members."""
    found = look_alikes(votes, counts)
    fitted = fit or (lambda columns: dawid_skene(columns, counts=counts, iterations=1000, tolerance=1e-8))
    while len(found) >= LEAST_DISTINCT:
        seats = pick_votes(votes, found)
        if (np.isnan(seats).all(axis=0)).any() or not fitted(seats).suspicious:
            break
        merges = [_merged(found, one, other) for one, other in combinations(range(len(found)), 2)]
        found = min(merges, key=lambda merge: _dependence(fitted(pick_votes(votes, merge))))
    return found


def look_alikes(votes: Floats, counts: Floats) -> list[Family]:
    """By agreement alone: the largest groups first."""
    voters = votes.shape[1]
    apart, kappa = np.zeros((voters, voters)), np.eye(voters)
    for one, other in combinations(range(voters), 2):
        table = _table(votes[:, one], votes[:, other], counts)
        total = table.sum()
        apart[one, other] = apart[other, one] = (total - np.trace(table)) / total if total else np.nan
        share = cohen_kappa(table) if total else None
        # where both always say the same one word, nothing tells them apart either
        alike = share if share is not None else float(total > 0)
        kappa[one, other] = kappa[other, one] = alike
    left, found = list(range(voters)), list[Family]()
    for group in _linked(apart):
        if set(group) <= set(left) and _one_voter(group, apart, kappa):
            found.append(tuple(group))
            left = [voter for voter in left if voter not in group]
    return sorted([*found, *((voter,) for voter in left)])


def pick_votes(votes: Floats, of: Sequence[Family]) -> Floats:
    """One column a family: the vote of its first member that has one."""
    columns = []
    for family in of:
        column = votes[:, family[0]].copy()
        for member in family[1:]:
            column = np.where(np.isnan(column), votes[:, member], column)
        columns.append(column)
    return np.stack(columns, axis=1)


def _one_voter(group: Sequence[int], apart: Floats, kappa: Floats) -> bool:
    pairs = list(combinations(group, 2))
    if all(kappa[pair] >= ALIKE for pair in pairs):
        return True
    outside = [voter for voter in range(len(apart)) if voter not in group]
    gaps = [apart[member, voter] for member in group for voter in outside if not np.isnan(apart[member, voter])]
    return bool(gaps) and all(apart[pair] <= CLOSER * min(gaps) for pair in pairs)


def _linked(apart: Floats) -> list[list[int]]:
    """The groups of complete linkage, largest first; those that were never compared are far apart."""
    groups = [[voter] for voter in range(len(apart))]
    met, distances = list[list[int]](), np.where(np.isnan(apart), 1.0, apart)
    while len(groups) > 1:
        one, other = min(
            combinations(range(len(groups)), 2),
            key=lambda pair: distances[np.ix_(groups[pair[0]], groups[pair[1]])].max(),
        )
        joined = sorted(groups[one] + groups[other])
        groups = [group for place, group in enumerate(groups) if place not in (one, other)] + [joined]
        met.append(joined)
    return sorted(met, key=len, reverse=True)


def _table(one: Floats, other: Floats, counts: Floats) -> Floats:
    return np.array([[float(counts[(one == a) & (other == b)].sum()) for b in (0, 1)] for a in (0, 1)])


def _merged(found: Sequence[Family], one: int, other: int) -> list[Family]:
    rest = [family for place, family in enumerate(found) if place not in (one, other)]
    return sorted([*rest, tuple(sorted(found[one] + found[other]))])


def _dependence(fit: Consensus) -> float:
    return max((abs(value) for value in fit.shared_errors.values()), default=0.0)
