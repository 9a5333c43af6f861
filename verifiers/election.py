"""The most frequent answer among members of a group, and whether it is certain.

Members whose answer is not known, through a failure of ours, are votes that could go anywhere: a majority that they
could overturn is not ``certain``. Members without an answer do not vote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from trueward.wire.verdict import Outcome, Verdict
from verifiers.ballot import Ballot


@dataclass(frozen=True, slots=True)
class Election:
    """``classes`` are members with equivalent answers, the most first; the first of ``classes`` has won.

    ``doubtful`` members have an answer that could not be compared; ``unknown`` counts them and those whose answer
    could not be read; ``failure`` is why. ``silent`` members answered nothing, by their own doing.
    """

    classes: Sequence[Sequence[int]]
    doubtful: frozenset[int] = frozenset()
    unknown: int = 0
    failure: Verdict | None = None
    silent: int = 0
    tied: bool = False

    @property
    def winner(self) -> int | None:
        """The member whose answer stands for the majority; None where nobody answered."""
        return self.classes[0][0] if self.classes else None

    @property
    def votes(self) -> list[int]:
        """The votes for each answer, the most first."""
        return [len(members) for members in self.classes]

    @property
    def share(self) -> float:
        """The winner's votes among all that there are, or could be, in [0, 1]."""
        total = sum(self.votes) + self.unknown
        return self.votes[0] / total if self.classes else 0.0

    @property
    def certain(self) -> bool:
        """False where unknown votes could make another answer win, or a tie."""
        if not self.unknown:
            return True
        first, second = [*self.votes, 0, 0][:2]
        return first > second + self.unknown


async def elect(ballot: Ballot, members: Sequence[int], seed: int | None) -> Election:
    """Among answers with as many votes the first to occur wins, or with a ``seed`` one drawn from it."""
    without = [answer for place in members if isinstance(answer := ballot.answers[place], Verdict)]
    missing = [verdict for verdict in without if verdict.outcome in (Outcome.TIMEOUT, Outcome.ERROR)]
    left = [place for place in members if isinstance(ballot.answers[place], str)]
    classes: list[list[int]] = []
    doubtful: set[int] = set()
    while (first := next((place for place in left if place not in doubtful), None)) is not None:
        others = [place for place in left if place != first]
        same = dict(zip(others, await ballot.equivalent(others, first), strict=True))
        classes.append([first, *(place for place in others if same[place])])
        left = [place for place in others if not same[place]]
        doubtful = (doubtful | {place for place in left if same[place] is None}) - set(classes[-1])
    most = max(map(len, classes), default=0)
    best = [members for members in classes if len(members) == most]
    if len(best) > 1 and seed is not None:
        best.sort(key=lambda members: _drawn(ballot, members, seed))
    ordered = [*best[:1], *sorted((one for one in classes if one is not best[0]), key=len, reverse=True)]
    return Election(
        ordered,
        frozenset(doubtful),
        unknown=len(doubtful) + len(missing),
        failure=ballot.failure or next(iter(missing), None),
        silent=sum(verdict.outcome is Outcome.INVALID for verdict in without),
        tied=len(best) > 1,
    )


def _drawn(ballot: Ballot, members: Sequence[int], seed: int) -> bytes:
    """The same for the same answers, in whatever order they came."""
    texts = sorted({str(ballot.answers[place]) for place in members})
    return hashlib.blake2b("\0".join([str(seed), *texts]).encode("utf-8", "replace"), digest_size=8).digest()
