"""What an audit asks of its subject: an answer for each sample, through the one path, recorded like any other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from app.scoring.caller import Caller
from app.scoring.path import Path
from app.scoring.plan import with_inner
from rewards.recipe import Recipe
from trueward.audits import Subject
from trueward.types import Outcome, Producer, Reward, RewardsRequest, Sample, Verdict, VerifyRequest
from trueward.verifier import Verifier

AT_ONCE = 256
"""Samples of one request: a group that must be judged together has to fit."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the subject said of one sample. ``accepted`` is None where that is neither yes nor no.

    ``score`` is a verifier's score or a recipe's reward, None where it is missing; ``evidence`` is a verifier's,
    ``components`` are a recipe's.
    """

    accepted: bool | None
    score: float | None
    outcome: Outcome
    reason_code: str
    reason: str
    record: str | None
    elapsed_s: float
    evidence: dict[str, JsonValue]
    components: dict[str, float | None] = field(default_factory=dict)


class Judging:
    """Judges anew for one audit: its records are those of the run ``audit:<id>``, split ``eval``.

    ``versions``: who has judged so far, each with the versions that did.
    """

    def __init__(self, path: Path, run: str, owner: str | None, project: str | None, deadline_s: float) -> None:
        self._path = path
        self._run = run
        self._owner = owner
        self._project = project
        self._deadline_s = deadline_s
        self.versions: dict[str, set[str]] = {}

    def check(self, subject: Subject) -> None:
        """Raises what a request for this subject is refused with, such as an unknown verifier."""
        self._path.planner.check(self._request(subject, []))

    def recipe(self, subject: Subject) -> Recipe | None:
        """The recipe of today that the subject is; None for a verifier. Raises what the subject is refused with."""
        request = self._request(subject, [])
        return self._path.planner.plan(request.recipe).recipe if isinstance(request, RewardsRequest) else None

    def verifiers(self, subject: Subject) -> list[Verifier]:
        """Everyone who may judge for the subject. Raises what the subject is refused with."""
        request = self._request(subject, [])
        if isinstance(request, VerifyRequest):
            return with_inner([self._path.planner.verifier(request.verifier, request.params)])
        return self._path.planner.plan(request.recipe).everyone

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        """Answers in order, in blocks. A group that must be judged together has to fit into one block of 256."""
        caller = Caller(owner=self._owner, project=self._project, held=True, durable=True, protocol="audits")
        for start in range(0, len(samples), AT_ONCE):
            block = samples[start : start + AT_ONCE]
            numbered = [sample.model_copy(update={"id": str(start + place)}) for place, sample in enumerate(block)]
            request = self._request(subject, numbered)
            if isinstance(request, VerifyRequest):
                verdicts = await self._path.verify(request, caller)
                self._note(verdict.producer for verdict in verdicts)
                yield [of_verdict(verdict, subject.threshold) for verdict in verdicts]
            else:
                response = await self._path.rewards(request, caller)
                self._note(made for reward in response.rewards for made in reward.producers)
                yield [of_reward(reward, subject.threshold) for reward in response.rewards]

    def _note(self, producers: Iterable[Producer | None]) -> None:
        for made in producers:
            if made is not None:
                self.versions.setdefault(made.name, set()).add(made.version)

    def _request(self, subject: Subject, samples: list[Sample]) -> VerifyRequest | RewardsRequest:
        if subject.verifier is not None:
            return VerifyRequest(
                verifier=subject.verifier,
                params=subject.params or {},
                run=self._run,
                split="eval",
                deadline_s=self._deadline_s,
                samples=samples,
            )
        return RewardsRequest(
            recipe=subject.recipe or "", run=self._run, split="eval", deadline_s=self._deadline_s, samples=samples
        )


def accepts(outcome: Outcome, score: float | None, threshold: float | None) -> bool | None:
    """Whether that is an acceptance; None where it is no verdict: a missing score, or one without a pass line.

    A response that is invalid was not accepted, whatever the threshold.
    """
    if outcome.missing or score is None:
        return None
    if outcome is Outcome.INVALID:
        return False
    if threshold is not None:
        return score >= threshold
    return {Outcome.CORRECT: True, Outcome.INCORRECT: False, Outcome.PARTIAL: False}.get(outcome)


def of_verdict(verdict: Verdict, threshold: float | None) -> Judged:
    return Judged(
        accepts(verdict.outcome, verdict.score, threshold),
        verdict.score,
        verdict.outcome,
        verdict.reason_code,
        verdict.reason,
        verdict.record,
        verdict.elapsed_s,
        verdict.evidence,
    )


def of_reward(reward: Reward, threshold: float | None) -> Judged:
    """A recipe accepts by the outcome of its answering term, or by its reward where a threshold is stated."""
    return Judged(
        accepts(reward.outcome, reward.reward, threshold),
        reward.reward,
        reward.outcome,
        reward.reason_code,
        reward.reason,
        reward.record,
        0.0,
        {},
        reward.components,
    )
