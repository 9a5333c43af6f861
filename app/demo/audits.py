"""The demo's audits: the batch's verifiers against its labels, against rewrites of its references, and against
hostile answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from app.demo.batch import RUN, ScoredCase
from trueward import Client, Sample
from trueward.wire.audit import (
    Audit,
    AuditSpec,
    Estimate,
    ExploitAudit,
    GivenSamples,
    LabelChoice,
    LabelledAudit,
    MetamorphicAudit,
    Population,
    Subject,
)
from trueward.wire.label import LabelRequest

SOURCE = "author"
_SAMPLES = 12
_TIMEOUT_S = 1800.0


@dataclass(frozen=True, slots=True)
class AuditedVerifier:
    """One verifier with its audits; one that found nothing to do has failed and says why."""

    verifier: str
    labelled: Audit
    metamorphic: Audit
    exploit: Audit

    @property
    def audits(self) -> tuple[Audit, Audit, Audit]:
        return self.labelled, self.metamorphic, self.exploit


def label(client: Client, scored: dict[str, list[ScoredCase]]) -> None:
    """Uploads what the batch's author says of each response. With parameters of its own (a tolerance, say) that is no
    statement about the response alone, so those are left out."""
    labels = [
        LabelRequest(record=row.verdict.record, right=row.case.right, annotator=SOURCE, source=SOURCE)
        for rows in scored.values()
        for row in rows
        if not row.case.params
    ]
    client.label(labels)


def audit(client: Client, scored: dict[str, list[ScoredCase]]) -> Iterator[AuditedVerifier]:
    """Labelled, metamorphic and exploit audits of each verifier, with its default parameters."""
    for verifier, rows in sorted(scored.items()):
        subject = Subject(verifier=verifier)
        given = GivenSamples(samples=_tasks(rows))
        specs: tuple[AuditSpec, ...] = (
            LabelledAudit(subject=subject, population=Population(run=RUN), labels=LabelChoice(sources=[SOURCE])),
            MetamorphicAudit(subject=subject, given=given),
            ExploitAudit(subject=subject, given=given),
        )
        started = [client.start_audit(spec, name="demo") for spec in specs]
        labelled, metamorphic, exploit = (client.wait_for_audit(one.id, _TIMEOUT_S) for one in started)
        yield AuditedVerifier(verifier, labelled, metamorphic, exploit)


def table(audited: Sequence[AuditedVerifier]) -> Table:
    shown = Table(title="Audits: errors of items (upper end of the 95% interval)")
    headings = (
        "verifier",
        "labelled wrong, accepted",
        "labelled right, rejected",
        "right rewrites, rejected",
        "wrong mutations, accepted",
        "hostile answers, accepted",
    )
    for heading in headings:
        shown.add_column(heading, justify="left" if heading == "verifier" else "right")
    for one in audited:
        shown.add_row(
            one.verifier,
            rate(one.labelled, wrong=True),
            rate(one.labelled, wrong=False),
            rate(one.metamorphic, wrong=False),
            rate(one.metamorphic, wrong=True),
            rate(one.exploit, wrong=True),
        )
    return shown


def rate(audit: Audit, *, wrong: bool) -> str:
    """Errors of items with the upper end of the exact interval; why there are none."""
    if audit.report is None:
        return audit.failure or audit.state
    estimates = audit.report.false_positives if wrong else audit.report.false_negatives
    found = next((each for each in estimates if each.method == "clopper_pearson"), None)
    return _written(found) if found is not None else "none"


def _written(found: Estimate) -> str:
    if found.interval is None:
        return "none"
    return f"{found.errors:.0f} of {found.items:,.0f} ({100 * found.interval[1]:.1f}%)"


def _tasks(rows: Sequence[ScoredCase]) -> list[Sample]:
    """One right response for each of the first tasks, by prompt and reference."""
    tasks: dict[str, Sample] = {}
    for row in rows:
        if row.case.right and not row.case.params:
            tasks.setdefault(f"{row.case.sample.prompt_text}\n{row.case.sample.reference}", row.case.sample)
    return list(tasks.values())[:_SAMPLES]
