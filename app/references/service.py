"""Corrected references: stored as versions, and tried on the samples that the ledger has."""

from __future__ import annotations

from collections import Counter
from copy import copy

from app.audits.judging import Judging
from app.audits.population import RUN as AUDITS
from app.kit.db import Database
from app.kit.paging import PageRange
from app.path.path import Path
from app.projects.visibility import Sight
from app.references.repository import ReferencesRepository, StoredSample
from app.watch.reading import prompt_name
from audits.subject_verdict import accepts
from trueward.errors import InvalidRequest, NotFound
from trueward.wire.audit import Subject
from trueward.wire.reference import Reference, ReferencePage, ReferenceRequest, Reverified, ReverifyRequest
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from trueward.wire.verifier import GROUP_VERIFIERS

_MOST = 1000


class ReferencesService:
    def __init__(self, db: Database, path: Path, deadline_s: float) -> None:
        self._path = path
        self._deadline_s = deadline_s
        self._db = db
        self._repository = ReferencesRepository(db)

    def visible_to(self, sight: Sight) -> ReferencesService:
        """The same for somebody who sees these references and samples alone."""
        seen = copy(self)
        seen._repository = ReferencesRepository(sight.of(self._db))
        return seen

    async def put(self, request: ReferenceRequest, owner: str | None) -> Reference:
        """The next version of a prompt's reference. Raises :class:`NotFound` for what the ledger does not have."""
        sample = await self._repository.sample_of(request)
        if sample is None:
            named = request.record or request.sample or request.prompt or ""
            raise NotFound(
                f"the ledger has nothing named {named[:100]!r}: name the record of a verdict or reward on that prompt"
            )
        content = await self._repository.content(sample)
        if content.get("prompt") is None:
            raise InvalidRequest("this sample has no prompt, so nothing says which others its reference belongs to")
        return await self._repository.add(prompt_name(content), sample, content.get("reference"), request, owner)

    async def find(self, name: str) -> Reference:
        """Raises :class:`NotFound`."""
        found = await self._repository.find(name)
        if found is None:
            raise NotFound(f"there is no corrected reference {name[:100]!r}; GET /v1/references lists them")
        return found

    async def page(self, prompt: str | None, wanted: PageRange) -> ReferencePage:
        """Newest first."""
        found, following = wanted.cut(await self._repository.page(prompt, wanted), lambda one: one.id)
        return ReferencePage(references=found, next=following)

    async def reverify(
        self, name: str, request: ReverifyRequest, owner: str | None, project: str | None = None
    ) -> Reverified:
        """Judges the stored samples of the prompt under the corrected reference, each response once.

        Raises :class:`InvalidRequest` where no verifier judged them and none is named.
        """
        reference = await self.find(name)
        stored = await self._stored(reference)
        subject, before = await self._judge_again(stored[:_MOST], request.subject)
        run = f"{AUDITS}reference:{reference.id}"
        judging = Judging(self._path, run, owner, project, self._deadline_s)
        judging.check(subject)
        corrected = [one.sample.model_copy(update={"reference": reference.reference}) for one in stored[:_MOST]]
        after = [said.accepted async for block in judging.judge(subject, corrected) for said in block]
        changes = Counter(zip([before.get(one.fingerprint) for one in stored[:_MOST]], after, strict=True))
        return Reverified(
            reference=reference.id,
            subject=subject.name,
            run=run,
            samples=len(corrected),
            left_out=len(stored) - len(corrected),
            now_accepted=changes[False, True],
            now_rejected=changes[True, False],
            same=changes[True, True] + changes[False, False],
            without_verdict=sum(count for (was, now), count in changes.items() if was is None or now is None),
        )

    async def _stored(self, reference: Reference) -> list[StoredSample]:
        """Samples with the prompt and the reference that was corrected; one more than are judged says that there are
        more."""
        sample = Sample.model_validate(await self._repository.content(reference.sample))
        prompt = sample.model_dump_json(include={"prompt"}, exclude_none=True)
        return await self._repository.samples_with(prompt[:-1], reference.was, _MOST + 1)

    async def _judge_again(
        self, stored: list[StoredSample], subject: Subject | None
    ) -> tuple[Subject, dict[str, bool | None]]:
        """What judges again, and what it said of each sample last."""
        rows = await self._repository.verdicts([one.fingerprint for one in stored])
        rows = [row for row in rows if row.verifier not in GROUP_VERIFIERS]
        if subject is None:
            used = Counter((row.verifier, row.params) for row in rows).most_common(1)
            if not used:
                raise InvalidRequest("no verifier judged a sample of this prompt: name one as `subject`")
            verifier, digest = used[0][0]
            subject = Subject(verifier=verifier, params=await self._repository.params(verifier, digest))
            rows = [row for row in rows if row.params == digest]
        said = [row for row in rows if row.verifier == subject.verifier]
        return subject, {row.sample: accepts(Outcome(row.outcome), row.score, subject.threshold) for row in said}
