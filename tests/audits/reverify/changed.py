"""A subject of today that is told what to say, over a ledger that is planted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from app.audits.ledger import StoredLedger
from app.kit.db import Database
from audits.ports import Work
from audits.reverify.audit import reverify
from audits.subject_verdict import Judged, accepts
from rewards.recipe import Recipe
from tests.audits.asking import Silent
from trueward.wire.audit import AuditReport, ReverifyAudit, Subject
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

MATH = Subject(verifier="math")
Says = Mapping[str, Outcome | float | None]


class Changed(Silent):
    """By response: an outcome, or a reward with the outcome ``scored`` (None: abstained).

    ``requests`` are the samples of each request.
    """

    def __init__(self, says: Says, recipe: Recipe | None = None, components: Mapping[str, Any] | None = None) -> None:
        self._says = says
        self._today = recipe
        self._components = components or {}
        self.requests: list[list[Sample]] = []

    def recipe(self, subject: Subject) -> Recipe | None:
        return self._today

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        self.requests.append(list(samples))
        yield [self._one(subject, sample) for sample in samples]

    def _one(self, subject: Subject, sample: Sample) -> Judged:
        said = self._says[sample.response_text]
        if isinstance(said, Outcome):
            outcome, score = said, None if said.missing else float(said is Outcome.CORRECT)
        else:
            outcome, score = (Outcome.ABSTAINED if said is None else Outcome.SCORED), said
        accepted = accepts(outcome, score, subject.threshold)
        parts = self._components.get(sample.response_text, {})
        record = f"now {len(self.requests)} {sample.response_text[:20]}"
        return Judged(accepted, score, outcome, f"now_{outcome.value}", "as told", record, 0.0, {}, parts)


async def reverified(db: Database, judging: Changed, **spec: Any) -> AuditReport:
    """The report of judging the whole ledger again, unless the specification says otherwise."""
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        assert 0 <= done <= total
        told.append((done, total))

    subject = spec.pop("subject", MATH)
    report = await reverify(
        ReverifyAudit(subject=subject, before=spec.pop("before", subject), **spec),
        Work("A1", StoredLedger(db), judging, progress),
    )
    assert told[-1][0] == told[-1][1]
    return report
