"""Chooses one of several candidates: scores and comparisons by the one path, the choice by :mod:`rewards.selection`.

A request is one request though it takes the path several times. Its key's quota lets it in, or refuses it, at the first
time; what it asks afterwards is owed, and held where there is no room. Where the service fails in the middle, nothing
is charged.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from app.admission.admit import refuse_duplicates
from app.admission.gate import QuotaBill
from app.path.caller import Caller
from app.path.path import Path
from app.select.classes import Classes, answer_of, classify_candidates
from rewards.selection import best_of, by_majority, by_weighted_vote
from trueward.errors import InvalidRequest, ServiceFailed
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, ScoringRequest, VerifyRequest
from trueward.wire.selection import CandidateClass, Selection, SelectRequest
from trueward.wire.verdict import Verdict

Scores = Sequence[float | None]


class Selecting:
    """One request; ``default_s`` are the seconds that it has when it states none."""

    def __init__(self, path: Path, request: SelectRequest, caller: Caller, default_s: float) -> None:
        self._path = path
        self._request = request
        self._bill = QuotaBill()
        # each time on the path has what is left of the whole
        self._caller = replace(caller, bill=self._bill, arrived=None)
        began = asyncio.get_running_loop().time() if caller.arrived is None else caller.arrived
        self._end = began + (request.deadline_s or default_s)

    async def select(self) -> Selection:
        """Raises what a request is refused with."""
        try:
            return await self._select()
        except ServiceFailed:
            await self._bill.give_back()
            raise

    async def _select(self) -> Selection:
        request = self._request
        for place, candidate in enumerate(request.candidates):
            candidate.id = str(place) if candidate.id is None else candidate.id
        refuse_duplicates([candidate.id or "" for candidate in request.candidates])
        if request.method == "weighted_vote" and any(score is not None and score < 0 for score in request.scores or ()):
            raise _negative()
        scores = await self._scores()
        if request.method == "best_of":
            return self._selection(best_of(scores or ()), scores)
        classes = await self._classes()
        try:
            chosen = (
                by_majority(classes.of, scores)
                if request.method == "majority"
                else by_weighted_vote(classes.of, scores or ())
            )
        except ValueError:
            raise _negative() from None
        return self._voted(chosen, scores, classes)

    async def _scores(self) -> Scores | None:
        request = self._request
        if request.scores is not None:
            return [None if score is None else float(score) for score in request.scores]
        if request.recipe is not None:
            wanted = RewardsRequest(recipe=request.recipe, **dict(self._shared(request.candidates)))
            answer = await self._path.rewards(wanted, self._asks)
            return [reward.reward for reward in answer.rewards]
        if request.method == "best_of":
            return [verdict.score for verdict in await self._verify(request.candidates)]
        return None

    async def _classes(self) -> Classes:
        request = self._request
        verifier = self._path.planner.verifier(self._request.verifier or "", self._request.params)
        answers = request.answers or [answer_of(verifier, candidate) for candidate in request.candidates]
        return await classify_candidates(request.candidates, answers, self._judge)

    async def _judge(self, samples: Sequence[Sample]) -> Sequence[Verdict] | None:
        return await self._verify(samples) if self._remaining_s > 0 else None

    async def _verify(self, samples: Sequence[Sample]) -> list[Verdict]:
        return await self._path.verify(self._verifying(samples), self._asks)

    @property
    def _asks(self) -> Caller:
        """Who asks next: one that was let in waits for room."""
        return replace(self._caller, held=bool(self._bill.charges))

    def _verifying(self, samples: Sequence[Sample]) -> VerifyRequest:
        verifier, params = self._request.verifier or "", self._request.params
        return VerifyRequest(verifier=verifier, params=params, **dict(self._shared(samples)))

    def _shared(self, samples: Sequence[Sample]) -> ScoringRequest:
        request = self._request
        return ScoringRequest(
            run=request.run,
            step=request.step,
            policy=request.policy,
            split=request.split,
            deadline_s=max(self._remaining_s, 0.001),
            # what is judged loses its hint; the candidates stay as they came
            samples=[sample.model_copy() for sample in samples],
        )

    @property
    def _remaining_s(self) -> float:
        return self._end - asyncio.get_running_loop().time()

    def _selection(self, chosen: int | None, scores: Scores | None) -> Selection:
        ids = [candidate.id or "" for candidate in self._request.candidates]
        return Selection(
            chosen=None if chosen is None else ids[chosen],
            method=self._request.method,
            scores=None if scores is None else dict(zip(ids, scores, strict=True)),
        )

    def _voted(self, chosen: int | None, scores: Scores | None, classes: Classes) -> Selection:
        found = self._selection(chosen, scores)
        weights = [1.0] * len(classes.of) if self._request.method == "majority" else list(scores or ())
        for first in dict.fromkeys(one for one in classes.of if one is not None):
            members = [place for place, one in enumerate(classes.of) if one == first]
            known = [weight for place in members if (weight := weights[place]) is not None]
            ids = [self._request.candidates[place].id or "" for place in members]
            found.classes.append(CandidateClass(ids=ids, answer=classes.answers[first], votes=math.fsum(known)))
        votes = sorted((one.votes for one in found.classes), reverse=True)
        total = math.fsum(votes)
        found.share = votes[0] / total if total > 0 else None
        found.tied = chosen is not None and len(votes) > 1 and votes[0] == votes[1]
        found.without_class, found.uncompared = classes.without, classes.uncompared
        found.comparisons = classes.comparisons
        return found


def _negative() -> InvalidRequest:
    detail = "a weighted vote needs scores of at least 0: map them, for instance with a sigmoid"
    return InvalidRequest.at_field("scores", "negative_score", detail)
