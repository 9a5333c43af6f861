"""How the criteria of a rubric go together in the verdicts of the ledger."""

from __future__ import annotations

import asyncio

from app.rubrics.repository import RubricsRepository
from trueward.errors import NotFound
from trueward.rubrics.correlation import CriteriaReport, CriterionPair

_LISTED = 20
_BETWEEN = "~"
"""No id of a criterion has it."""


class Rubrics:
    def __init__(self, repository: RubricsRepository) -> None:
        self._repository = repository

    async def correlation(
        self, verifier: str, run: str | None, rubric: str | None, *, verdicts: int, after: str | None, limit: int
    ) -> CriteriaReport:
        """Of the rubric that is named, or that most verdicts were given by. The latest ``verdicts`` are read.

        Raises :class:`NotFound` for a rubric without verdicts, or a pair that is none of its.
        """
        uses = await self._repository.most_used(verifier, run, _LISTED)
        chosen = rubric or (uses[0].rubric if uses else None)
        total = await self._repository.count(verifier, run, chosen) if chosen else 0
        if rubric is not None and not total:
            raise NotFound(f"no verdict of {verifier[:100]!r} names the rubric {rubric[:100]!r}")
        from app.rubrics.sums import Sums

        sums, read = Sums(), 0
        if chosen:
            async for page in self._repository.scores(verifier, run, chosen, verdicts):
                await asyncio.to_thread(sums.add, page)
                read += len(page)
        pairs = _behind(sums.pairs(), after)
        return CriteriaReport(
            verifier=verifier,
            run=run,
            rubric=chosen,
            verdicts=read,
            left_out=max(total - read, 0),
            rubrics=uses,
            criteria=sums.criteria(),
            pairs=pairs[:limit],
            next=_name(pairs[limit - 1]) if len(pairs) > limit else None,
        )


def _behind(pairs: list[CriterionPair], after: str | None) -> list[CriterionPair]:
    if after is None:
        return pairs
    names = [_name(pair) for pair in pairs]
    if after not in names:
        raise NotFound(f"there is no pair {after[:150]!r} to go on after")
    return pairs[names.index(after) + 1 :]


def _name(pair: CriterionPair) -> str:
    return f"{pair.first}{_BETWEEN}{pair.second}"
