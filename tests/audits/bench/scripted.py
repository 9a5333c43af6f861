"""A subject that says what the response tells it to, for benchmarks without a service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic import JsonValue

from audits.bench.audit import bench
from audits.ports import NoLedger, Work
from audits.subject_verdict import Judged, accepts
from tests.audits.asking import Silent
from trueward.wire.audit import AuditReport, BenchAudit, BenchFormat, Subject
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

SUBJECT = Subject(verifier="scripted")
RECIPE = Subject(recipe="scripted")


class Scripted(Silent):
    """A number is scored; ``correct``, ``invalid``, ``timeout`` and the like are that outcome.

    With ``baselines`` a judge of pairs: the number of ``response > baseline`` in ``preferences``. A row's
    ``metadata.evidence`` becomes the verdict's. ``requests`` are the samples of each request.
    """

    def __init__(self, preferences: dict[tuple[str, str], float] | None = None) -> None:
        self.preferences = preferences or {}
        self.requests: list[list[Sample]] = []

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        self.requests.append(list(samples))
        yield [self._one(subject, sample) for sample in samples]

    def _one(self, subject: Subject, sample: Sample) -> Judged:
        text = sample.response_text
        evidence = (sample.metadata or {}).get("evidence", {})
        assert isinstance(evidence, dict)
        if sample.baselines:
            text = str(self.preferences[text, sample.baselines[0]])
        try:
            outcome, score = Outcome.SCORED, float(text)
        except ValueError:
            known = text if text in list(Outcome) else "correct"
            outcome = Outcome(known)
            score = 1.0 if outcome is Outcome.CORRECT else 0.0
        missing = outcome.missing
        accepted = accepts(outcome, None if missing else score, subject.threshold)
        return Judged(accepted, None if missing else score, outcome, text[:20], "said so", None, 0.0, evidence)


async def benched(
    form: BenchFormat, rows: Sequence[dict[str, JsonValue]], judging: Scripted | None = None, **spec: Any
) -> AuditReport:
    """The report on these rows."""
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        assert 0 <= done <= total
        told.append((done, total))

    audit = BenchAudit(subject=spec.pop("subject", SUBJECT), format=form, rows=list(rows), **spec)
    # a benchmark judges what the request brought: it has no use for the database
    report = await bench(audit, Work("A1", NoLedger(), judging or Scripted(), progress))
    assert told[-1][0] == told[-1][1], "it says that it is done"
    return report


def pair(chosen: Any, rejected: Any, **rest: Any) -> dict[str, JsonValue]:
    """A row of preference; each pair has a prompt of its own unless it is given."""
    return {"prompt": f"{chosen} over {rejected} {rest.get('id')}?", "chosen": chosen, "rejected": rejected, **rest}
