"""What an audit asks of its subject: an answer for each sample, through the one path, recorded like any other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from app.path.caller import Caller
from app.path.path import Path
from app.path.plan import expand_verifiers
from audits.subject_verdict import AT_ONCE, Judged, of_reward, of_verdict
from rewards.recipe import Recipe
from trueward.authoring.verifier import Verifier
from trueward.wire.audit import AuditSpec, ConsensusAudit, LabelledAudit, Subject
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Producer


class Judging:
    """Judges anew for one audit: its records are those of the run ``audit:<id>``, split ``eval``."""

    def __init__(self, path: Path, run: str, owner: str | None, project: str | None, deadline_s: float) -> None:
        self._path = path
        self._run = run
        self._owner = owner
        self._project = project
        self._deadline_s = deadline_s
        self._versions: dict[str, set[str]] = {}

    def admit(self, spec: AuditSpec) -> None:
        """Raises what its subject is refused with where the audit judges anew: unknown verifier, bad parameters."""
        if not isinstance(spec, LabelledAudit | ConsensusAudit):
            self.check(spec.subject)

    def list_versions(self) -> dict[str, list[str]]:
        """Who has judged so far, each with the versions that did, sorted."""
        return {name: sorted(versions) for name, versions in self._versions.items()}

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
            return expand_verifiers([self._path.planner.verifier(request.verifier, request.params)])
        return self._path.planner.plan(request.recipe).all_verifiers

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        """Answers in order, in blocks. A group that must be judged together has to fit into one block of 256."""
        caller = Caller(owner=self._owner, project=self._project, held=True, durable=True, protocol="audits")
        for start in range(0, len(samples), AT_ONCE):
            block = samples[start : start + AT_ONCE]
            numbered = [_numbered(sample, str(start + place)) for place, sample in enumerate(block)]
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
                self._versions.setdefault(made.name, set()).add(made.version)

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


def _numbered(sample: Sample, name: str) -> Sample:
    """A copy, unless it has this id: the same sample may be judged in several places at once."""
    return sample if sample.id == name else sample.model_copy(update={"id": name})
